//! One mesh at many times: numbered files and point caches, good ones and others.

use super::super::pc2::Cache;
use super::*;
use std::fs;
use std::path::PathBuf;

/// A folder that is gone when the test is over.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &[u8])]) -> Self {
        let path = std::env::temp_dir().join(format!("taut_sequence_{}_{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        files.iter().for_each(|(name, bytes)| fs::write(path.join(name), bytes).unwrap());
        Folder(path)
    }

    fn names(&self, names: &[&str]) -> Vec<PathBuf> {
        names.iter().map(|name| self.0.join(name)).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn found(names: &[PathBuf]) -> Result<Vec<String>, String> {
    let last = |file: &PathBuf| file.file_name().unwrap().to_string_lossy().into_owned();
    numbered(names).map(|files| files.iter().map(last).collect()).map_err(|e| e.to_string())
}

#[test]
fn files_come_in_the_order_of_their_numbers() {
    let empty: &[u8] = b"";
    let files = ["c_8.obj", "c_10.obj", "c_9.obj", "notes.txt", "d_1.ply"].map(|name| (name, empty));
    let folder = Folder::new("order", &files);
    let all = ["c_8.obj", "c_9.obj", "c_10.obj"].map(String::from);
    assert_eq!(found(&folder.names(&["c_*.obj"])).unwrap(), all);
    assert_eq!(found(&folder.names(&["c_10.obj", "c_8.obj", "c_9.obj"])).unwrap(), all);
    assert_eq!(found(&folder.names(&["d_1.ply"])).unwrap(), ["d_1.ply"]);
    assert!(found(std::slice::from_ref(&folder.0)).unwrap_err().contains("is not of the sequence of"));
    fs::remove_file(folder.0.join("d_1.ply")).unwrap();
    assert_eq!(found(std::slice::from_ref(&folder.0)).unwrap(), all);
    // Every second frame is a sequence too.
    assert_eq!(found(&folder.names(&["c_10.obj", "c_8.obj"])).unwrap().len(), 2);
}

#[test]
fn what_is_no_sequence_is_told_why() {
    let empty: &[u8] = b"";
    let files = ["a_1.obj", "a_2.obj", "a_4.obj", "a_02.obj", "b.obj", "a_99999999999999999999.obj"];
    let folder = Folder::new("gaps", &files.map(|name| (name, empty)));
    let error = |names: &[&str]| found(&folder.names(names)).unwrap_err();
    assert!(error(&["a_1.obj", "a_2.obj", "a_4.obj"]).contains("a_4.obj: frame 3 is missing before it"));
    assert!(error(&["a_1.obj", "a_02.obj", "a_2.obj"]).contains("has the number of"));
    assert!(error(&["a_1.obj", "b.obj"]).contains("b.obj: has no number in its name"));
    assert!(error(&["a_1.obj", files[5]]).contains("too large a number"));
    assert!(error(&["z_*.obj"]).contains("there are no such files"));
    assert!(error(&["nowhere/z_*.obj"]).contains("cannot be read"));
    assert!(numbered(&[]).is_err());
}

const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 2 3\nf 1 3 4\n";

#[test]
fn frames_have_the_faces_and_the_welding_of_the_first() {
    // Vertex 4 is vertex 0 again.
    let first = SQUARE.replace("f 1 3 4", "v 0 0 0\nf 5 3 4");
    // By chance two vertices are in one place, and by fault two are not finite.
    let later = first.replace("v 1 0 0", "v 1 0 1").replace("v 0 0 1", "v nan 0 -inf");
    let folder = Folder::new("frames", &[("a0.obj", first.as_bytes()), ("a1.obj", later.as_bytes())]);
    let files = numbered(std::slice::from_ref(&folder.0)).unwrap();
    let sequence = Sequence::open(files.clone(), None).unwrap();
    assert_eq!((sequence.len(), sequence.mesh.positions.len(), sequence.vertex(3)), (2, 4, 3));
    assert_eq!(sequence.positions(0).unwrap(), sequence.mesh.positions);
    let positions = sequence.positions(1).unwrap();
    assert_eq!((positions[1], positions[2]), (DVec3::new(1.0, 0.0, 1.0), DVec3::new(1.0, 0.0, 1.0)));
    assert!(positions[3].x.is_nan() && positions[3].z == f64::NEG_INFINITY);
    // As a mesh such a file is refused as ever.
    assert!(read(&files[1]).unwrap_err().to_string().contains("a1.obj:4: x is NaN; it must be finite"));
}

#[test]
fn frames_of_another_mesh_are_refused() {
    let others = [
        SQUARE.replace("f 1 2 3\n", ""),
        SQUARE.replace("f 1 2 3", "v 5 5 5\nf 1 2 3"),
        SQUARE.replace("f 1 2 3", "f 1 2 4"),
        SQUARE.replace("f 1 2 3", "f 1 2 9"),
        String::new(),
    ];
    let reasons =
        ["has 1 faces, but", "has 5 vertices, but", "face 0 joins other", "uses vertex \"9\"", "has 0 v"];
    for (other, reason) in others.iter().zip(reasons) {
        let folder = Folder::new("other", &[("a0.obj", SQUARE.as_bytes()), ("a1.obj", other.as_bytes())]);
        let sequence = Sequence::open(folder.names(&["a0.obj", "a1.obj"]), None).unwrap();
        let error = sequence.positions(1).unwrap_err().to_string();
        assert!(error.contains("a1.obj") && error.contains(reason), "{error}");
    }
}

/// A point cache of these samples.
fn cache(points: usize, samples: &[Vec<[f32; 3]>]) -> Vec<u8> {
    let mut bytes = b"POINTCACHE2\0".to_vec();
    bytes.extend(1i32.to_le_bytes().into_iter().chain((points as i32).to_le_bytes()));
    bytes.extend(0f32.to_le_bytes().into_iter().chain(1f32.to_le_bytes()));
    bytes.extend((samples.len() as i32).to_le_bytes());
    samples.iter().flatten().flatten().for_each(|c| bytes.extend(c.to_le_bytes()));
    bytes
}

fn two_samples() -> Vec<u8> {
    let sample = |y: f32| vec![[0.0, y, 0.0], [1.0, y, 0.0], [1.0, y, 1.0], [0.0, y, 1.0]];
    cache(4, &[sample(0.25), sample(f32::NAN)])
}

#[test]
fn a_point_cache_moves_its_mesh() {
    let bytes = two_samples();
    let folder = Folder::new("cache", &[("a.pc2", &bytes), ("a.obj", SQUARE.as_bytes())]);
    let open = |mesh: Option<&str>| {
        let mesh = mesh.map(|text| read_bytes("a.obj", text.as_bytes()).unwrap());
        Sequence::open(folder.names(&["a.pc2"]), mesh)
    };
    let sequence = open(Some(SQUARE)).unwrap();
    assert_eq!(sequence.len(), 2);
    assert_eq!(sequence.positions(0).unwrap()[2], DVec3::new(1.0, 0.25, 1.0));
    assert!(sequence.positions(1).unwrap()[2].y.is_nan());
    assert!(open(None).unwrap_err().to_string().contains("points without faces"));
    let larger = format!("{SQUARE}v 7 7 7\n");
    assert!(
        open(Some(&larger)).unwrap_err().to_string().contains("has 4 points, but the mesh has 5 vertices")
    );
    let error = Sequence::open(folder.names(&["a.pc2", "a.obj"]), None).unwrap_err().to_string();
    assert!(error.contains("holds a whole sequence"), "{error}");
    assert!(Sequence::open(vec![], None).is_err());
}

#[test]
fn point_caches_that_lie_break_off_or_were_scrambled() {
    let whole = two_samples();
    for n in 0..whole.len() {
        let error = Cache::read("a.pc2", whole[..n].to_vec()).unwrap_err().to_string();
        assert!(error.starts_with("a.pc2"), "{n}: {error}");
    }
    let with = |at: usize, value: i32| {
        let mut bytes = whole.clone();
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        Cache::read("a.pc2", bytes).unwrap_err().to_string()
    };
    assert!(with(0, 0).contains("does not begin with POINTCACHE2"));
    assert!(with(12, 2).contains("the version is 2; only version 1"));
    assert!(with(16, 0).contains("2 samples of 0 points") && with(28, 0).contains("0 samples of 4 points"));
    assert!(with(16, -4).contains("the number of points is -4") && with(28, -1).contains("is -1"));
    assert!(with(28, i32::MAX).contains("8589934588 positions are announced, but only 96 bytes follow"));
    assert!(with(16, i32::MAX).contains("4294967294 positions are announced"));
    let random = &mut crate::random::Random(5);
    for _ in 0..20_000 {
        let mut bytes = whole.clone();
        for _ in 0..3 {
            let [at, value] = [0; 2].map(|_| (random.signed() + 1.0) * 0.5);
            bytes[(at * whole.len() as f64) as usize] = (value * 256.0) as u8;
        }
        if let Ok(cache) = Cache::read("a.pc2", bytes) {
            (0..cache.samples).for_each(|k| assert_eq!(cache.sample(k).len(), cache.points));
        }
    }
}
