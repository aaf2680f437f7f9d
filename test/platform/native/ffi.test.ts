import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { openForeignFunctions, openOwnLibrary } from '../../../src/platform/native/ffi.ts'

const libc = process.platform === 'darwin' ? 'libSystem.B.dylib' : 'libc.so.6'
const getpid = { getpid: { args: [], returns: 'i32' } } as const
const source = join(import.meta.dir, '../../../src/platform/native/ffi.ts')

test('opens functions of a C library', () => {
  expect(openForeignFunctions(libc, getpid)!.symbols.getpid()).toBe(process.pid)
})

test('returns null without a JIT compiler', () => {
  const script = `import { openForeignFunctions } from '${source}'
    console.log(openForeignFunctions('${libc}', ${JSON.stringify(getpid)}))`
  const child = Bun.spawnSync([process.execPath, '-e', script], {
    env: { ...process.env, BUN_JSC_useJIT: '0' },
  })
  expect([child.stdout.toString(), child.exitCode]).toEqual(['null\n', 0])
})

test('throws if there is no such library', () => {
  expect(() => openForeignFunctions('/nonexistent.so', getpid)).toThrow('/nonexistent.so')
  expect(() => openOwnLibrary('/nonexistent.so', getpid)).toThrow('/nonexistent.so')
})
