import { dlopen } from 'bun:ffi'
import { expect } from 'bun:test'
import { join } from 'node:path'
import { buildKernels, crossCompileKernels } from '../../../scripts/build/kernels.ts'
import { zigCommand } from '../../../scripts/release/parts.ts'
import { hostTarget } from '../../../scripts/build/target.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { testWhere } from '../../support/where.ts'

const zig = zigCommand()
const isThere =
  Bun.which(zig[0]!) !== null &&
  Bun.spawnSync([...zig, 'version'], { stderr: 'ignore' }).exitCode === 0

/** Returns the instruction set that a library chooses on this processor. */
const chosenBy = (path: string) =>
  String(dlopen(path, { og_kernel_isa: { args: [], returns: 'cstring' } }).symbols.og_kernel_isa())

const lack = isThere ? null : 'zig is not here'
testWhere(lack)(
  'kernels of a release use the best instruction set of this processor',
  async () => {
    await using temp = await createTempFolder('kernels')
    const output = join(temp.path, 'kernels.so')
    const compiler = [...zig, 'cc', '-target', hostTarget().triple, '-s']
    expect(await crossCompileKernels(compiler, output)).toBe(null)
    expect(chosenBy(output)).toBe(chosenBy((await buildKernels()).path!))
  },
  300_000,
)
