export type Point = [number, number, number];

export interface Options {
  /** The module: bytes, a compiled module, or where it is; default `taut.wasm` beside `taut.js`. */
  wasm?: BufferSource | WebAssembly.Module | URL | string;
  /** Run in a thread of its own; default where there is a document. */
  worker?: boolean;
}

export interface Report {
  step: number;
  /** Simulated time and time step [s]. */
  time: number;
  h: number;
  /** Wall time of a step [ms], the mean of the last call. */
  ms_step: number | null;
  energy: { kinetic: number; elastic: number; gravity: number } | null;
  residual: number | null;
  iterations: number | null;
  /** What the last cut or tear came to. */
  parted: { copies: number; removed: number; pieces: number } | null;
  [key: string]: unknown;
}

export declare class Simulation {
  /** A scene: TOML, or the name of a built-in one. */
  static open(scene: string, options?: Options): Promise<Simulation>;
  /** Positions of particles, x y z, relative to `topology.origin` [m]; another array after every call. */
  positions: Float32Array;
  /** Corners of the triangles; other ones after a cut. */
  triangles: Uint32Array;
  /** Ends of the links of strands. */
  lines: Uint32Array;
  /** Pinned particles. */
  pins: Uint32Array;
  topology: { particles: number; origin: Point; rate: number; title: string; [key: string]: unknown };
  report: Report;
  step(n?: number): Promise<Report>;
  grab(particles: number | number[], place: Point): Promise<void>;
  release(): Promise<void>;
  pin(...particles: (number | number[])[]): Promise<void>;
  cut(eye: Point, line: Point[]): Promise<void>;
  set(key: string, value: unknown): Promise<void>;
  undo(): Promise<void>;
  restart(): Promise<void>;
  save(): Promise<string>;
  hash(): Promise<string>;
  /** Called with the simulation when its triangles are others; gives a function that ends that. */
  on(event: "topology", listener: (simulation: Simulation) => void): () => void;
  close(): void;
}
