# Sourced by the scripts in tools/: get what a test needs beyond Rust, or skip that test by name.
#
# A script that cannot get what it needs calls `skip`, which prints the reason as its last line and exits 77;
# ./check turns that into a named skip. Nothing is installed when TAUT_NO_INSTALL is set or without root, and
# whatever does not come from Debian lives in the target folder, never in the user's home.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
[[ $target == /* ]] || target=$root/$target # cargo reads it relative to where it is started: always the root
tools=$target/tools
mkdir -p "$tools"

skip() {
  echo "skip: $*"
  exit 77
}

may_install() {
  [[ -z ${TAUT_NO_INSTALL:-} && $(id -u) == 0 ]] && command -v apt-get >/dev/null
}

apt_install() {
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" </dev/null
}

# need_apt PACKAGE...: these Debian packages are installed afterwards.
need_apt() {
  local missing=() package
  for package in "$@"; do
    dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package")
  done
  [[ ${#missing[@]} == 0 ]] && return
  may_install || skip "needs ${missing[*]} (apt-get install ${missing[*]})"
  # The package lists of a fresh machine may be absent or stale, so a failure is worth one update.
  apt_install "${missing[@]}" || { apt-get update -qq && apt_install "${missing[@]}"; } ||
    skip "apt-get could not install ${missing[*]}"
}

# need_command COMMAND PACKAGE: the command can be run afterwards, wherever it comes from.
need_command() {
  command -v "$1" >/dev/null || need_apt "$2"
}

# need_python NAME REQUIREMENT...: sets $python to the interpreter of a virtual environment with these packages.
need_python() {
  local venv=$tools/python-$1 wanted=${*:2}
  python=$venv/bin/python
  [[ -f $venv/ready && $(<"$venv/ready") == "$wanted" ]] && return
  [[ -z ${TAUT_NO_INSTALL:-} ]] || skip "needs the Python packages $wanted"
  need_command python3 python3
  rm -rf "$venv"
  python3 -m venv "$venv" || { rm -rf "$venv" && need_apt python3-venv && python3 -m venv "$venv"; } ||
    skip "python3 cannot create a virtual environment"
  "$python" -m pip install --quiet --disable-pip-version-check "${@:2}" || skip "pip could not install $wanted"
  echo "$wanted" >"$venv/ready"
}

# need_node NAME PACKAGE@VERSION...: sets NODE_PATH so that node finds these npm packages.
need_node() {
  local folder=$tools/node-$1 wanted=${*:2}
  need_command node nodejs
  export NODE_PATH=$folder/node_modules
  [[ -f $folder/ready && $(<"$folder/ready") == "$wanted" ]] && return
  [[ -z ${TAUT_NO_INSTALL:-} ]] || skip "needs the npm packages $wanted"
  need_command npm npm
  rm -rf "$folder"
  mkdir -p "$folder"
  npm install --silent --no-audit --no-fund --prefix "$folder" "${@:2}" || skip "npm could not install $wanted"
  echo "$wanted" >"$folder/ready"
}
