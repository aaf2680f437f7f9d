import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { crossCompileKernels } from '../build/kernels.ts'
import type { Parts } from '../build/natives.ts'
import type { Target } from '../build/target.ts'
import { lockEntries } from './lock.ts'

const root = join(import.meta.dir, '../..')
const scratch = join(root, 'build', 'release')

/** Paths of the parts of an executable for another system. */
export type TargetParts = {
  natives: Parts
  runtime: string
  /** The folder of the package `@lancedb/lancedb`; null for the one in node_modules. */
  lancedbPackage: string | null
}

/**
 * Gets all parts of a target: packages with npm, checked against the lock file, and kernels with
 * zig. `lancedb` is another version of LanceDB for a trial.
 * @throws Error with the name of a part that is not available
 */
export async function targetParts(
  target: Target,
  { lancedb }: { lancedb: string | null },
): Promise<TargetParts> {
  const { runtime, lancedb: addon } = target
  const runtimeFolder = await packageFolder(runtime.name, null)
  const addonFolder = await packageFolder(addon.name, lancedb)
  const onnx = target.onnx.length === 0 ? '' : await packageFolder('onnxruntime-node', null)
  return {
    runtime: join(runtimeFolder, runtime.file),
    lancedbPackage: lancedb && (await packageFolder('@lancedb/lancedb', lancedb)),
    natives: {
      lancedb: join(addonFolder, addon.file),
      onnx: target.onnx.map((file) => join(onnx, 'bin/napi-v6', file)),
      kernels: await kernelsBy(zigCommand(), target),
    },
  }
}

/**
 * Returns the folder with the unpacked files of an npm package. The lock file has its version and
 * checksum. The checksum of a `trial` version is only checked by npm, against the registry.
 */
async function packageFolder(name: string, trial: string | null): Promise<string> {
  const locked = lockEntries(root)[`node_modules/${name}`]
  const version = trial ?? locked?.version
  if (version === undefined) throw new Error(`${name}: package-lock.json does not name it`)
  const integrity = trial === null ? locked?.integrity : null
  if (integrity === undefined) {
    throw new Error(
      `${name} ${version}: package-lock.json holds no checksum of it. Add it with` +
        ' "npm run release -- --lock" where the registry has this package, or try another version' +
        ' with --lancedb VERSION',
    )
  }
  // The path contains node_modules, so that the package finds its neighbours there.
  const folder = join(scratch, trial === null ? 'locked' : `trial-${trial}`, 'node_modules', name)
  if (existsSync(join(folder, 'package.json'))) return folder
  const fresh = `${folder}.${process.pid}`
  await rm(fresh, { recursive: true, force: true })
  await mkdir(fresh, { recursive: true })
  const tarball = await packed(`${name}@${version}`, fresh)
  const sum = `sha512-${createHash('sha512')
    .update(await readFile(tarball))
    .digest('base64')}`
  if (integrity !== null && sum !== integrity) {
    throw new Error(`${name} ${version}: its checksum is ${sum}, the lock file says ${integrity}`)
  }
  succeeds(['tar', '-xzf', tarball, '-C', fresh, '--strip-components=1'], `${name} ${version}`)
  await rm(tarball)
  await rename(fresh, folder)
  return folder
}

async function packed(spec: string, folder: string): Promise<string> {
  const npm = ['npm', 'pack', spec, '--pack-destination', folder, '--silent', '--prefer-offline']
  succeeds(npm, spec.replace(/@(?=[^@]+$)/, ' '))
  return join(folder, (await readdir(folder)).find((name) => name.endsWith('.tgz'))!)
}

/** Returns `ZIG`, or the Python package `ziglang`. */
export function zigCommand(): string[] {
  return (process.env.ZIG?.trim() || 'python3 -m ziglang').split(/\s+/)
}

/**
 * Compiles for the oldest supported system, without symbols, because these would contain local
 * paths.
 */
async function kernelsBy(zig: string[], { name, triple, platform }: Target): Promise<string> {
  const folder = join(scratch, 'kernels', name)
  await mkdir(folder, { recursive: true })
  const output = join(folder, platform === 'win32' ? 'og_kernels.dll' : 'libog_kernels.so')
  // A macOS library contains its own name. By default this is the output path, which is a local
  // path.
  const named = platform === 'darwin' ? [`-Wl,-install_name,${basename(output)}`] : []
  const fault = await crossCompileKernels([...zig, 'cc', '-target', triple, '-s', ...named], output)
  if (fault === null) return output
  throw new Error(`kernels for ${name}: ${fault}; set ZIG, or pip install ziglang==${zigVersion}`)
}

/** The version of zig whose output was tested. */
export const zigVersion = '0.17.1'

function succeeds([command = '', ...args]: string[], part: string): void {
  const ran = spawnSync(command, args, { cwd: root, encoding: 'utf8' })
  if (ran.status === 0) return
  const why = ran.error?.message ?? ran.stderr.split('\n').find((line) => /error/i.test(line))
  throw new Error(`${part}: ${command} failed: ${why ?? `code ${ran.status}`}`)
}
