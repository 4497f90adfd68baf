# Sourced by what builds for WebAssembly, after tools/need.sh.
#
# An installed target (rustup target add wasm32-unknown-unknown) is used as it is. Without one, the standard library
# is built from Debian's rust-src of exactly this compiler's version, in a copy of the toolchain under target/tools.
# shellcheck shell=bash

wasm=wasm32-unknown-unknown
# The suite that carries current compilers; private lists, so the machine's own apt settings stay as they are.
suite=trixie-backports

# Debian's source package of the standard library, unpacked to $2, for compiler version $1.
fetch_rust_src() {
  local apt=$tools/apt mirror
  local options=(-qq -o "Dir::State=$apt/state" -o "Dir::Cache=$apt/cache" -o "Dir::Etc::SourceList=$apt/sources.list"
    -o Dir::Etc::SourceParts=- -o APT::Sandbox::User=root)
  mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial"
  mirror=$(sed 's/#.*//' /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources} 2>/dev/null |
    grep -oE 'https?://[^ ]+/debian/?( |$)' | head -n 1 || true)
  local keys=/usr/share/keyrings/debian-archive-keyring.gpg
  echo "deb [signed-by=$keys] ${mirror:-http://deb.debian.org/debian} $suite main" >"$apt/sources.list"
  apt-get "${options[@]}" update &&
    (cd "$apt" && rm -f rust-src_*.deb && apt-get "${options[@]}" download "rust-src=$1*") &&
    dpkg -x "$apt"/rust-src_*.deb "$2" && rm -rf "$apt"
}

# Put a cargo that can build the standard library for $wasm first on PATH.
build_std_toolchain() {
  local release sysroot copy
  release=$(rustc -vV | sed -n 's/^release: //p')
  sysroot=$(rustc --print sysroot)
  copy=$tools/rust-$release
  if [[ ! -d $copy ]]; then
    local remedy="rustup target add $wasm"
    [[ -z ${TAUT_NO_INSTALL:-} ]] || skip "no Rust target $wasm and nothing may be installed; $remedy"
    # A distribution's own compiler shares /usr with everything else: not a folder to copy.
    if ! command -v apt-get >/dev/null || [[ $sysroot == /usr ]]; then
      skip "no Rust target $wasm; $remedy"
    fi
    unpacked=$(mktemp -d "$tools/unpack.XXXXXX")
    trap 'rm -rf "$unpacked"' EXIT
    fetch_rust_src "$release" "$unpacked/src" ||
      skip "no Rust target $wasm, and no rust-src $release from Debian's $suite; $remedy"
    mkdir "$unpacked/rust"
    # A hard link is free; across file systems it has to be a copy. Symbolic links would lead rustc home again.
    cp -al "$sysroot"/{bin,lib} "$unpacked/rust" 2>/dev/null || cp -a "$sysroot"/{bin,lib} "$unpacked/rust"
    rm -rf "$unpacked/rust/lib/rustlib/src"
    mkdir "$unpacked/rust/lib/rustlib/src"
    mv "$unpacked/src/usr/src/rustc-$release" "$unpacked/rust/lib/rustlib/src/rust"
    mv -T "$unpacked/rust" "$copy" # last and in one move: an interrupted run leaves no half toolchain
  fi
  export PATH=$copy/bin:$PATH RUSTC_BOOTSTRAP=1
}

# A folder of its own: another compiler or RUSTC_BOOTSTRAP would make every release build start again, here and there.
wasm_folder=$target/wasm

# build_wasm FEATURES ARGUMENTS...: cargo builds for $wasm with these target features into $wasm_folder.
build_wasm() {
  if [[ -z ${build_std+set} ]]; then
    build_std=
    if [[ ! -d $(rustc --print target-libdir --target $wasm) ]]; then
      build_std_toolchain
      build_std=yes
    fi
    mkdir -p "$wasm_folder"
  fi
  # Not RUSTFLAGS: with those cargo builds the macros, which run here, anew for each module.
  env -u RUSTFLAGS CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="-C target-feature=$1" cargo build --profile web \
    --target-dir "$wasm_folder" --target $wasm ${build_std:+-Zbuild-std=std,panic_abort} "${@:2}"
}
