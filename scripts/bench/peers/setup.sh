#!/bin/sh
# Installs the programs that bench-peers.ts compares with og: setup.sh DIR [NAME…]. Without a
# name it installs qmd, docs-mcp-server and context. A program that is there already stays as it is.
#
# Needs Node 20 or newer with npm, git and a C++ compiler. OpenGround is installed by hand: create
# DIR/openground with an env.sh that puts `openground` on PATH, with its model.
set -eu
dir=$(mkdir -p "$1" && cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- qmd docs-mcp-server context

# Only the listed packages are compiled: the other install scripts download browsers and models.
compile() {
  npm rebuild --foreground-scripts=false "$@"
}

install_qmd() {
  cd "$1"
  echo '{ "private": true }' > package.json
  npm install --ignore-scripts @tobilu/qmd@2.8.3
}

install_docs_mcp_server() {
  git clone --quiet --depth 1 https://github.com/arabold/docs-mcp-server "$1"
  cd "$1"
  npm ci --ignore-scripts
  compile better-sqlite3 tree-sitter tree-sitter-javascript tree-sitter-python \
    tree-sitter-typescript
  npm run build
}

install_context() {
  git clone --quiet --depth 1 https://github.com/neuledge/context "$1"
  cd "$1/packages/context"
  npm install --ignore-scripts --no-package-lock
  compile better-sqlite3
  npx tsc -p tsconfig.build.json
}

for name; do
  [ ! -e "$dir/$name/installed" ] || continue
  case $name in
    qmd) install=install_qmd ;;
    docs-mcp-server) install=install_docs_mcp_server ;;
    context) install=install_context ;;
    *) echo "unknown program: $name" >&2; exit 1 ;;
  esac
  echo "$name: install" >&2
  rm -rf "${dir:?}/$name"
  mkdir "$dir/$name"
  ("$install" "$dir/$name")
  touch "$dir/$name/installed"
done
