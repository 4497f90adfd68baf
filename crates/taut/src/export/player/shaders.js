// Light and colour, as in taut's software pictures: one key light with soft shadow, sky above and floor below, a
// cool rim from behind, a little light through the cloth. Linear light inside, sRGB at the very end.

export const COMMON = `#version 300 es
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp sampler2DShadow;
uniform mat4 world_to_clip, world_to_light;
uniform vec3 eye, key, rim;
uniform sampler2DShadow shadow_map;
uniform float texel; // of the shadow map [m]
uniform bool shadows;
const vec3 KEY = vec3(2.20, 2.10, 1.95), SKY = vec3(0.54, 0.59, 0.68), FLOOR = vec3(0.34, 0.31, 0.28);
const vec3 RIM = vec3(0.55, 0.62, 0.72);
const float BRDF = 0.64, THROUGH = 0.16;

vec3 ambient(vec3 n) { return mix(FLOOR, SKY, 0.5 + 0.5 * n.y); }

// Share of the key light that arrives, softened over a square of 25 points so many texels apart; nothing outside
// the map casts.
float lit(vec3 p, float softness) {
  if (!shadows) return 1.0;
  vec3 at = (world_to_light * vec4(p, 1.0)).xyz * 0.5 + 0.5;
  if (any(lessThan(at.xy, vec2(0.002))) || any(greaterThan(at.xy, vec2(0.998)))) return 1.0;
  float step = softness / float(textureSize(shadow_map, 0).x), sum = 0.0;
  for (int y = -2; y <= 2; y++)
    for (int x = -2; x <= 2; x++)
      sum += texture(shadow_map, vec3(at.xy + step * vec2(x, y), min(at.z, 1.0)));
  return sum / 25.0;
}

// Linear light to sRGB, with a soft shoulder instead of clipping.
vec3 expose(vec3 light) {
  vec3 y = min(light, 0.75) + 0.25 * (1.0 - exp(-max(light - 0.75, 0.0) / 0.25));
  return mix(12.92 * y, 1.055 * pow(max(y, 1e-6), vec3(1.0 / 2.4)) - 0.055, step(0.0031308, y));
}
`;

// Particles live in textures 1024 wide; an index is all a vertex needs.
const FETCH = `
uniform sampler2D positions, normals;
vec3 fetch(sampler2D list, int i) { return texelFetch(list, ivec2(i & 1023, i >> 10), 0).xyz; }
`;

export const SHADERS = {
  backdrop: [`
out vec2 place;
void main() {
  place = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0;
  gl_Position = vec4(place, 0.0, 1.0);
}`, `
in vec2 place;
uniform vec3 top, bottom, right, up, ahead; // right and up reach to the edges of the view
uniform vec4 ground; // centre and height: x, y, z; radius, 0 for none
uniform float spacing, line_light, shade;
out vec4 colour;

float lines(float x, float footprint) {
  float wide = 0.012 * spacing, smear = max(footprint, wide);
  float from = abs(fract(x / spacing + 0.5) - 0.5) * spacing;
  return max(0.0, 1.0 - from / smear) * max(wide / smear, footprint < 0.2 * spacing ? 0.5 : 0.0);
}

void main() {
  float t = smoothstep(0.0, 1.0, 0.5 - 0.5 * place.y);
  vec3 light = mix(top, bottom, t) * (1.0 - 0.07 * dot(place, place));
  vec3 ray = ahead + place.x * right + place.y * up;
  float reach = (ground.y - eye.y) / ray.y;
  vec3 hit = eye + ray * clamp(reach, 0.0, 1e4 * ground.w);
  vec2 footprint = fwidth(hit.xz);
  if (ground.w > 0.0 && reach > 0.0 && eye.y > ground.y) {
    vec3 away = (hit - ground.xyz) / ground.w;
    float fade = exp(-dot(away, away) / 5.0);
    if (fade > 2e-3) {
      light *= 1.0 + line_light * fade * max(lines(hit.x, footprint.x), lines(hit.z, footprint.y));
      light *= 1.0 - fade * shade * (1.0 - lit(hit, 2.2)) * vec3(1.0, 0.985, 0.95);
    }
  }
  float grain = fract(52.98 * fract(dot(gl_FragCoord.xy, vec2(0.0671, 0.00584)))) - 0.5; // hides bands
  colour = vec4(expose(light) + grain / 255.0, 1.0);
}`],

  surface: [FETCH + `
centroid out vec3 place, normal; // at an outline the middle of a pixel may lie off the surface
void main() {
  place = fetch(positions, gl_VertexID);
  normal = fetch(normals, gl_VertexID);
  gl_Position = world_to_clip * vec4(place, 1.0);
}`, `
centroid in vec3 place, normal;
uniform vec3 front, back;
uniform bool cloth;
out vec4 colour;
void main() {
  vec3 n = normalize(normal) * (gl_FrontFacing ? 1.0 : -1.0);
  vec3 to_eye = normalize(eye - place), albedo = gl_FrontFacing ? front : back;
  float facing = clamp(dot(n, to_eye), 0.0, 1.0), towards_key = dot(n, key);
  float arrives = lit(place + n * (towards_key > 0.0 ? 2.5 : -2.5) * texel + key * 1.5 * texel, 1.4);
  float direct = max(0.0, (towards_key + 0.04) / 1.04) + (cloth ? THROUGH * max(0.0, -towards_key) : 0.0);
  float graze = (1.0 - facing) * (1.0 - facing);
  vec3 diffuse = KEY * arrives * direct + ambient(n) + RIM * 0.9 * graze * max(0.0, dot(n, rim));
  float gloss = pow(max(0.0, dot(n, normalize(key + to_eye))), cloth ? 12.0 : 48.0);
  vec3 light = albedo * diffuse * BRDF + SKY * 0.11 * graze * (1.0 - facing)
    + KEY * 0.06 * gloss * arrives * sqrt(max(0.0, towards_key));
  colour = vec4(expose(light), 1.0);
}`],

  // Segments as ribbons facing the viewer, one instance each: strands, the edges of the wireframe, painted springs.
  segments: [FETCH + `
layout(location = 0) in uvec2 ends;
layout(location = 1) in vec4 tint; // sRGB
uniform vec2 pixel; // size in clip space
uniform float width, thinnest, towards; // [m], [pixels], clip space
out vec3 place, along;
out float across, facing;
out vec4 paint;
void main() {
  paint = tint;
  vec3 a = fetch(positions, int(ends.x)), b = fetch(positions, int(ends.y));
  vec4 p = world_to_clip * vec4(a, 1.0), q = world_to_clip * vec4(b, 1.0);
  bool second = gl_VertexID > 1;
  place = second ? b : a;
  along = normalize(b - a);
  facing = dot(fetch(normals, int(second ? ends.y : ends.x)), eye - place);
  across = float(gl_VertexID & 1) * 2.0 - 1.0;
  vec4 here = second ? q : p;
  vec2 run = (q.xy / q.w - p.xy / p.w) / pixel;
  vec2 side = dot(run, run) > 0.0 ? normalize(vec2(-run.y, run.x)) : vec2(0.0, 1.0);
  float pixels = max(thinnest, width * length(vec3(world_to_clip[0].y, world_to_clip[1].y, world_to_clip[2].y))
    / (here.w * pixel.y));
  here.xy += side * across * 0.5 * pixels * pixel * here.w;
  here.z -= towards * here.w;
  gl_Position = min(p.w, q.w) > 0.0 ? here : vec4(0.0, 0.0, 2.0, 1.0);
}`, `
in vec3 place, along;
in float across, facing;
in vec4 paint;
uniform vec3 front, back;
uniform float alpha;
uniform bool strand, painted;
out vec4 colour;
void main() {
  if (painted) { colour = paint; return; }
  if (!strand) { colour = vec4(expose(facing > 0.0 ? front : back), alpha); return; }
  vec3 to_eye = normalize(eye - place), side = normalize(cross(along, to_eye));
  vec3 n = normalize(side * across + to_eye * sqrt(max(0.0, 1.0 - across * across)));
  float slope = dot(along, key), over = sqrt(max(0.0, 1.0 - slope * slope));
  float bright = (0.55 + 0.45 * max(0.0, dot(n, key))) * over * lit(place + key * 3.0 * texel, 1.4);
  float tilt = dot(along, normalize(key + to_eye)), gloss = pow(max(0.0, 1.0 - tilt * tilt), 30.0);
  vec3 light = front * (KEY * 1.1 * bright + ambient(n)) * BRDF + KEY * 0.16 * gloss * bright;
  colour = vec4(expose(light), 1.0);
}`],

  // Discs shaded as balls, one instance each.
  pins: [FETCH + `
layout(location = 0) in uint which;
uniform vec3 right, up;
uniform float radius;
out vec2 across;
void main() {
  vec3 p = fetch(positions, int(which));
  across = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.4 - 1.2;
  vec3 to_eye = normalize(eye - p);
  gl_Position = world_to_clip * vec4(p + radius * (across.x * right + across.y * up + to_eye), 1.0);
}`, `
in vec2 across;
uniform vec3 right, up, front;
out vec4 colour;
void main() {
  float r = dot(across, across), edge = fwidth(r);
  vec3 n = across.x * right + across.y * up + sqrt(max(0.0, 1.0 - r)) * normalize(cross(right, up));
  vec3 light = front * (KEY * max(0.0, dot(n, key)) + ambient(n)) * BRDF + 0.05 * pow(max(0.0, dot(n, key)), 30.0);
  colour = vec4(expose(light), 1.0 - smoothstep(1.0 - edge, 1.0 + edge, r));
  if (colour.a < 0.01) discard;
}`],
};
