/** A platform to build for, and the names of its parts. */
export type Target = {
  name: 'linux-x64' | 'linux-x64-musl' | 'linux-arm64' | 'darwin-arm64' | 'windows-x64'
  platform: 'linux' | 'darwin' | 'win32'
  arch: 'x64' | 'arm64'
  /** The npm package of the runtime, and the path of its file in the package. */
  runtime: { name: string; file: string }
  /** The npm package of LanceDB's addon, and the path of its file in the package. */
  lancedb: { name: string; file: string }
  /** Files of onnxruntime-node in `bin/napi-v6/`; empty for musl. */
  onnx: string[]
  /** The name in zig, with the oldest glibc that the kernels support. */
  triple: string
}

export const targets: readonly Target[] = [
  {
    name: 'linux-x64',
    platform: 'linux',
    arch: 'x64',
    runtime: { name: '@oven/bun-linux-x64', file: 'bin/bun' },
    lancedb: { name: '@lancedb/lancedb-linux-x64-gnu', file: 'lancedb.linux-x64-gnu.node' },
    onnx: onnxFiles('linux/x64', 'libonnxruntime.so.1'),
    triple: 'x86_64-linux-gnu.2.17',
  },
  {
    name: 'linux-x64-musl',
    platform: 'linux',
    arch: 'x64',
    runtime: { name: '@oven/bun-linux-x64-musl', file: 'bin/bun' },
    lancedb: { name: '@lancedb/lancedb-linux-x64-musl', file: 'lancedb.linux-x64-musl.node' },
    onnx: [],
    triple: 'x86_64-linux-musl',
  },
  {
    name: 'linux-arm64',
    platform: 'linux',
    arch: 'arm64',
    runtime: { name: '@oven/bun-linux-aarch64', file: 'bin/bun' },
    lancedb: { name: '@lancedb/lancedb-linux-arm64-gnu', file: 'lancedb.linux-arm64-gnu.node' },
    onnx: onnxFiles('linux/arm64', 'libonnxruntime.so.1'),
    triple: 'aarch64-linux-gnu.2.17',
  },
  {
    name: 'darwin-arm64',
    platform: 'darwin',
    arch: 'arm64',
    runtime: { name: '@oven/bun-darwin-aarch64', file: 'bin/bun' },
    lancedb: { name: '@lancedb/lancedb-darwin-arm64', file: 'lancedb.darwin-arm64.node' },
    onnx: onnxFiles('darwin/arm64', 'libonnxruntime.1.dylib'),
    triple: 'aarch64-macos.13.0',
  },
  {
    name: 'windows-x64',
    platform: 'win32',
    arch: 'x64',
    runtime: { name: '@oven/bun-windows-x64', file: 'bin/bun.exe' },
    lancedb: { name: '@lancedb/lancedb-win32-x64-msvc', file: 'lancedb.win32-x64-msvc.node' },
    onnx: onnxFiles('win32/x64', 'onnxruntime.dll'),
    triple: 'x86_64-windows-gnu',
  },
]

function onnxFiles(folder: string, library: string): string[] {
  return [`${folder}/onnxruntime_binding.node`, `${folder}/${library}`]
}

/** @throws Error with a list of the known targets */
export function targetNamed(name: string): Target {
  const found = targets.find((target) => target.name === name)
  if (found !== undefined) return found
  const known = targets.map((target) => target.name).join(', ')
  throw new Error(`Cannot build for "${name}": known are ${known}`)
}

/** Returns the target of this machine. Assumes glibc on Linux. */
export function hostTarget(): Target {
  const { platform, arch } = process
  const found = targets.find((target) => target.platform === platform && target.arch === arch)
  if (found === undefined) throw new Error(`Cannot build for ${platform}-${arch}: no such target`)
  return found
}

export const executableName = ({ platform }: Target) => (platform === 'win32' ? 'og.exe' : 'og')
