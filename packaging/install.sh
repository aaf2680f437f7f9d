#!/bin/sh
# Installs og for the user who runs it: a folder of this user, no root, no profile edited.
#   curl -fsSL ADDRESS/install.sh | sh
#   sh install.sh [--unsigned] [--uninstall]
# OG_VERSION      a version; without it the latest
# OG_INSTALL_DIR  where og goes; without it ~/.local/bin
# OG_BASE_URL     where releases lie; without it where this script came from
# OG_PUBLIC_KEY   the minisign key that they are signed with; without it ours
# OG_PUBLIC_KEY_P256  the key for systems whose openssl has no Ed25519, as macOS; without it ours
set -eu

base=${OG_BASE_URL:-@RELEASES@}
key='@PUBLIC_KEY@'
key_p256='@PUBLIC_KEY_P256@'
# Our keys count only if the caller trusts no other one.
if [ -n "${OG_PUBLIC_KEY:-}${OG_PUBLIC_KEY_P256:-}" ]; then
  key=${OG_PUBLIC_KEY:-}
  key_p256=${OG_PUBLIC_KEY_P256:-}
fi
dir=${OG_INSTALL_DIR:-${HOME:-}/.local/bin}
signed=yes
work=

say() { printf '%s\n' "$*" >&2; }

fail() {
  say "error: $1"
  [ $# -lt 2 ] || say "hint: $2"
  exit 1
}

has() { command -v "$1" >/dev/null 2>&1; }

clean() { [ -z "$work" ] || rm -rf "$work"; }

main() {
  action=install
  for word in "$@"; do
    case $word in
      --unsigned) signed=no ;;
      --uninstall) action=uninstall ;;
      *) fail "Cannot understand \"$word\"" "known are --unsigned and --uninstall" ;;
    esac
  done
  [ "$dir" != /.local/bin ] || fail "Cannot install: HOME is not set" "set OG_INSTALL_DIR"
  if [ "$action" = uninstall ]; then uninstall; else install; fi
}

install() {
  [ -n "$base" ] || fail "Cannot install: no address of releases" "set OG_BASE_URL"
  target=$(target_here)
  mkdir -p "$dir" 2>/dev/null || fail "Cannot create $dir" "set OG_INSTALL_DIR to a folder of yours"
  # In the folder itself, so that og appears by one rename.
  work=$(mktemp -d "$dir/.og-install.XXXXXX" 2>/dev/null) \
    || fail "Cannot write to $dir" "set OG_INSTALL_DIR to a folder of yours"
  trap clean EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  address=$base/latest/download
  [ -z "${OG_VERSION:-}" ] || address=$base/download/v${OG_VERSION#v}
  fetch "$address/SHA256SUMS" "$work/SHA256SUMS"
  check_signature "$address"
  file=$(archive_for "$target")
  [ -n "$file" ] || no_archive "$target"
  say "Fetching $address/$file"
  fetch "$address/$file" "$work/$file"
  check_sum "$file"
  unpack "$file"
  put
}

# The archive for a target that this machine can unpack, the one that is unpacked fastest: a
# tar.zst takes a fifth of the time of a tar.xz, and is about as large.
archive_for() {
  for ending in tar.zst tar.xz tar.gz; do
    case $ending in
      tar.zst) has zstd || continue ;;
      tar.xz) reads_xz || continue ;;
    esac
    # A longer target's name ends otherwise, but may begin alike: og-1-linux-x64 and …-x64-musl.
    listed "$1\\.$ending" | head -n 1 | grep . && return
  done
  return 0
}

listed() { sed -n "s/^[0-9a-f]\{64\}  \(og-[0-9A-Za-z.+-]*-$1\)\$/\1/p" "$work/SHA256SUMS"; }

no_archive() {
  [ -z "$(listed "$1\\.tar\\.[a-z]*")" ] || fail \
    "Cannot install: no program here unpacks what this release has for $1" "install zstd or xz"
  fail "Cannot install: this release has no og for $1"
}

# bsdtar reads it by itself, GNU tar by xz; busybox does not know its filter.
reads_xz() {
  case $(tar --version 2>/dev/null) in
    *bsdtar*) ;;
    *GNU*) has xz ;;
    *) false ;;
  esac
}

# The name of this machine's build.
target_here() {
  system=$(uname -s)
  machine=$(uname -m)
  case $machine in
    x86_64 | amd64) machine=x64 ;;
    aarch64 | arm64) machine=arm64 ;;
    *) fail "Cannot install: there is no og for $machine" ;;
  esac
  case $system in
    Linux) linux_target ;;
    Darwin)
      # Under Rosetta uname says x86_64 of an Apple processor.
      [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || echo 0)" != 1 ] || machine=arm64
      [ "$machine" = arm64 ] || fail "Cannot install: there is no og for Intel Macs" \
        "LanceDB, which og searches with, is no longer built for them"
      echo darwin-arm64
      ;;
    *) fail "Cannot install: there is no og for $system" "on Windows use install.ps1" ;;
  esac
}

linux_target() {
  if [ "$machine" = x64 ] && [ -r /proc/cpuinfo ] && ! grep -qw avx2 /proc/cpuinfo; then
    fail "Cannot install: this processor has no AVX2" "og needs one of 2013 or later"
  fi
  if ldd --version 2>&1 | grep -qi musl || ls /lib/ld-musl-* >/dev/null 2>&1 && ! has_glibc; then
    [ "$machine" = x64 ] || fail "Cannot install: there is no og for musl on $machine"
    echo linux-x64-musl
  else
    echo "linux-$machine"
  fi
}

has_glibc() { getconf GNU_LIBC_VERSION >/dev/null 2>&1; }

# ADDRESS FILE: by curl or wget; a server that says nothing for a minute counts as gone.
fetch() {
  code=0
  if has curl; then
    curl -fsSL --retry 2 --connect-timeout 20 --speed-limit 100 --speed-time "$patience" \
      -o "$2" "$1" || code=$?
  elif has wget; then
    wget -q -T "$patience" -O "$2" "$1" || code=$?
  else
    fail "Cannot fetch anything: neither curl nor wget is here" "install one of them"
  fi
  [ "$code" != 23 ] || fail "Cannot write $2: is the disk full?" "og needs 400 MB; OG_INSTALL_DIR"
  [ "$code" = 0 ] || fail "Cannot fetch $1 (code $code)" "check OG_VERSION, OG_BASE_URL, network"
}

patience=${OG_PATIENCE:-60}

check_signature() {
  if [ "$signed" = no ]; then
    say "warning: the signature is not checked, as --unsigned says"
    return
  fi
  [ -n "$key$key_p256" ] || fail "Cannot check the signature: no public key" \
    "set OG_PUBLIC_KEY, or trust the checksums alone: --unsigned"
  if [ -n "$key" ] && has minisign; then
    fetch "$1/SHA256SUMS.minisig" "$work/SHA256SUMS.minisig"
    minisign -V -q -P "$key" -m "$work/SHA256SUMS" >/dev/null 2>&1 || wrong_signature
  elif [ -n "$key" ] && has_ed25519; then
    fetch "$1/SHA256SUMS.minisig" "$work/SHA256SUMS.minisig"
    by_ed25519 || wrong_signature
  elif [ -n "$key_p256" ] && has openssl; then
    fetch "$1/SHA256SUMS.ecdsa" "$work/SHA256SUMS.ecdsa"
    by_p256 || wrong_signature
  elif has openssl; then
    fail "Cannot check the signature: $(openssl version) has no Ed25519, and no P-256 key is known" \
      "set OG_PUBLIC_KEY_P256, install minisign, or trust the checksums alone: --unsigned"
  else
    fail "Cannot check the signature: neither minisign nor openssl is here" \
      "install one of them, or trust the checksums alone: --unsigned"
  fi
}

has_ed25519() { has openssl && openssl version | grep -q '^OpenSSL [3-9]'; }

wrong_signature() {
  fail "Cannot trust SHA256SUMS: its signature is wrong" "nothing was installed"
}

# A minisign signature is ed25519 over the BLAKE2b of the file; 10 bytes say which key made it.
by_ed25519() {
  sed -n 2p "$work/SHA256SUMS.minisig" | openssl base64 -d -A >"$work/signature" || return 1
  printf '%s' "$key" | openssl base64 -d -A >"$work/key" || return 1
  [ "$(head -c 2 "$work/signature")" = ED ] || return 1
  head -c 10 "$work/signature" | tail -c 8 >"$work/signer"
  head -c 10 "$work/key" | tail -c 8 >"$work/owner"
  cmp -s "$work/signer" "$work/owner" || return 1
  tail -c 64 "$work/signature" >"$work/raw"
  # The head of every ed25519 key in DER.
  { printf '\060\052\060\005\006\003\053\145\160\003\041\000'; tail -c 32 "$work/key"; } \
    >"$work/key.der"
  openssl pkey -pubin -inform DER -in "$work/key.der" -out "$work/key.pem" || return 1
  openssl dgst -blake2b512 -binary -out "$work/hash" "$work/SHA256SUMS" || return 1
  openssl pkeyutl -verify -pubin -inkey "$work/key.pem" -rawin -in "$work/hash" \
    -sigfile "$work/raw" >/dev/null 2>&1
}

# LibreSSL 3.3 of macOS checks ECDSA. The key is base64 in one line; PEM wants lines of 64.
by_p256() {
  {
    echo '-----BEGIN PUBLIC KEY-----'
    printf '%s' "$key_p256" | openssl base64 -d -A | openssl base64
    echo '-----END PUBLIC KEY-----'
  } >"$work/key-p256.pem"
  openssl dgst -sha256 -verify "$work/key-p256.pem" -signature "$work/SHA256SUMS.ecdsa" \
    "$work/SHA256SUMS" >/dev/null 2>&1
}

check_sum() {
  wanted=$(sed -n "s/^\([0-9a-f]*\)  $1\$/\1/p" "$work/SHA256SUMS")
  # First the one that uses what processors have for it.
  if has openssl; then found=$(openssl dgst -sha256 -r <"$work/$1")
  elif has sha256sum; then found=$(sha256sum <"$work/$1")
  elif has shasum; then found=$(shasum -a 256 <"$work/$1")
  else fail "Cannot check $1: neither sha256sum, shasum nor openssl is here" "install one of them"
  fi
  [ "${found%% *}" = "$wanted" ] || fail "Cannot trust $1: it is not what was released" \
    "its SHA-256 is ${found%% *}, released was $wanted"
}

unpack() {
  case $1 in
    *.tar.zst) unzstd_tar "$work/$1" ;;
    *.tar.xz) tar -xJf "$work/$1" -C "$work" ;;
    *) tar -xzf "$work/$1" -C "$work" ;;
  esac || fail "Cannot unpack $1: is the disk full?" "og needs 400 MB; OG_INSTALL_DIR"
  rm "$work/$1"
  new=$work/${1%.tar.*}/og
  version=$("$new" version 2>"$work/said") \
    || fail "Cannot run og here: $(head -n 1 "$work/said")" "$(remedy)"
}

# Not every tar calls zstd by itself. The status of a pipe is that of tar alone, to which a cut
# stream is one without an end; a whole one was checked by its sum.
unzstd_tar() { zstd -dcq "$1" | tar -xf - -C "$work"; }

remedy() {
  if grep -q 'libstdc++' "$work/said"; then echo "install it first: apk add libstdc++"
  else echo "nothing was installed"; fi
}

put() {
  chmod 755 "$new"
  mv -f "$new" "$dir/og"
  say "Installed og $version as $dir/og"
  case :$PATH: in
    *":$dir:"*) ;;
    *) say "To find it, add to your profile: export PATH=\"$dir:\$PATH\"" ;;
  esac
  case ${SHELL:-} in
    */bash) say 'To complete its commands, add to ~/.bashrc: source <(og completion bash)' ;;
    */zsh) say 'To complete its commands, add to ~/.zshrc: source <(og completion zsh)' ;;
    */fish) say 'To complete its commands, add to config.fish: og completion fish | source' ;;
  esac
}

uninstall() {
  [ -e "$dir/og" ] || fail "Cannot uninstall: there is no $dir/og" "set OG_INSTALL_DIR"
  rm -f "$dir/og" "$dir/og.previous"
  say "Removed $dir/og"
  data=${XDG_DATA_HOME:-$HOME/.local/share}
  config=${XDG_CONFIG_HOME:-$HOME/.config}
  cache=${XDG_CACHE_HOME:-$HOME/.cache}
  for kept in "$data/og" "$data/openground/og" "$HOME/.groundmemory" "$config/og" \
    "$HOME/.openground" "${OG_CACHE_DIR:-$cache/og}" "$cache/openground/og"; do
    [ ! -e "$kept" ] || say "Not removed: $kept"
  done
}

# The last line: a script that was cut off does nothing.
main "$@"
