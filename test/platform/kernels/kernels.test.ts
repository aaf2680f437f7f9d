import { expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildKernels } from '../../../scripts/build/kernels.ts'
import { OgError } from '../../../src/platform/error.ts'
import { type Kernels, openKernels } from '../../../src/platform/kernels/kernels.ts'
import { neededVersions } from '../../support/native/elf.ts'
import { testWhere } from '../../support/where.ts'

const built = await buildKernels()

test('builds the kernels wherever there is a compiler', () => {
  expect(built.path !== null || built.isMissingCompiler).toBe(true)
})

test('falls back to JavaScript without a library, and gives the reason', () => {
  const kernels = openKernels(null)
  expect(kernels.isa).toBe('js')
  expect(kernels.fallbackReason).toContain('not built')
})

test('falls back to JavaScript if the file is not a library, and gives the reason', () => {
  const folder = mkdtempSync(join(tmpdir(), 'og-kernels-'))
  const path = join(folder, 'libog_kernels.so')
  writeFileSync(path, 'not a library')
  const kernels = openKernels(path, { isa: 'avx2' })
  rmSync(folder, { recursive: true })
  expect(kernels.isa).toBe('js')
  expect(kernels.fallbackReason).toContain(path)
})

test('gives no reason if JavaScript was requested', () => {
  const kernels = openKernels(built.path, { isa: 'js' })
  expect([kernels.isa, kernels.fallbackReason]).toEqual(['js', undefined])
})

if (built.path !== null) {
  test('reports an unknown instruction set', () => {
    expect(() => openKernels(built.path, { isa: 'mmx' })).toThrow('"mmx"')
    expect(() => openKernels(built.path, { isa: 'mmx' })).toThrow(OgError)
  })

  test('alternates between serial and best kernels with correct results', () => {
    const serial = openKernels(built.path, { isa: 'serial' })
    const best = openKernels(built.path)
    expect(serial.isa).toBe('serial')
    expect(best.isa).toMatch(/^(serial|avx2|avx512|neon)$/)
    for (const kernels of [serial, best, serial]) {
      expect([...kernels.pairwise(Float32Array.of(3, 4), 2)]).toEqual([25])
    }
  })
}

/**
 * The contract suite skips instruction sets that cannot be opened. This suite checks that every
 * instruction set of this CPU can be opened.
 */
const isX64 = process.platform === 'linux' && process.arch === 'x64'
const lack = built.path === null ? 'no C compiler has built the kernels' : null
const onX64 = testWhere(isX64 ? lack : 'this is no x86-64 Linux')

onX64('opens every instruction set of this CPU, and no other', () => {
  const flags = readFileSync('/proc/cpuinfo', 'utf8')
    .split('\n')
    .find((l) => /^flags/.test(l))
  for (const [isa, flag] of [
    ['avx2', 'avx2'],
    ['avx512', 'avx512f'],
  ] as const) {
    const open = () => openKernels(built.path, { isa }).isa
    if (flags?.split(' ').includes(flag)) expect(open()).toBe(isa)
    else expect(open).toThrow(`"${isa}"`)
  }
  expect(() => openKernels(built.path, { isa: 'neon' })).toThrow('"neon"')
})

const kernels = openKernels(built.path)

/** Returns the message of the rejected call. */
function check(call: (kernels: Kernels) => unknown, message: string): void {
  expect(() => call(kernels)).toThrow(OgError)
  expect(() => call(kernels)).toThrow(message)
}

test('rejects wrong lengths before calling C', () => {
  const three = new Float32Array(3)
  const four = new Float32Array(4)
  check((k) => k.topk(three, four, { dims: 3, k: 1 }), '4 numbers into rows of 3')
  check((k) => k.topk(four, three, { dims: 3, k: 1 }), 'compare 4 dimensions with rows of 3')
  check((k) => k.topk(three, three, { dims: 3, k: -1 }), 'return -1 rows')
  check((k) => k.topk(three, three, { dims: 3, k: 0.5 }), 'return 0.5 rows')
  check((k) => k.normalise(four, 0), '4 numbers into rows of 0')
  check((k) => k.normalise(four, -2), 'rows of -2 dimensions')
  check((k) => k.normalise(four, 1.5), 'rows of 1.5 dimensions')
  check((k) => k.pairwise(four, 65_537), 'rows of 65537 dimensions')
})

/** The kernels must run wherever LanceDB and ONNX Runtime do. */
const onLinux = testWhere(process.platform === 'linux' ? lack : 'only Linux has glibc')

onLinux('the kernels need no newer glibc than LanceDB and ONNX Runtime', () => {
  const floor = Math.max(...addonPaths().flatMap(neededVersions).map(glibcMinor))
  const versions = neededVersions(built.path!)
  expect(floor).toBeGreaterThan(0)
  expect(versions.filter((version) => !/^GLIBC_2(\.\d+)+$/.test(version))).toEqual([])
  expect(versions.filter((version) => glibcMinor(version) > floor)).toEqual([])
})

/** Returns 17 for `GLIBC_2.17` and 2 for `GLIBC_2.2.5`; 0 for other symbols. */
function glibcMinor(version: string): number {
  return Number(/^GLIBC_2\.(\d+)/.exec(version)?.[1] ?? 0)
}

function addonPaths(): string[] {
  const modules = join(import.meta.dir, '../../..', 'node_modules')
  const folders = [
    join(modules, '@lancedb', `lancedb-linux-${process.arch}-gnu`),
    join(modules, 'onnxruntime-node', 'bin', 'napi-v6', 'linux', process.arch),
  ]
  const files = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  return files.filter((file) => /\.(node|so(\.\d+)*)$/.test(file))
}
