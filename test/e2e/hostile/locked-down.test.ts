/**
 * Tests services that may not create machine code (MemoryDenyWriteExecute) or have little memory.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createWorld, handbook, type World } from '../../support/e2e.ts'
import { endOgServer, startOgServer } from '../../support/servers/og-server.ts'
import { testWhere } from '../../support/where.ts'

const withoutJit = { BUN_JSC_useJIT: '0' }
const python = Bun.which('python3')

/** Sets PR_MDWE_REFUSE_EXEC_GAIN (since Linux 6.3) and runs the rest of the command line. */
const denyWriteExecute = `import ctypes, os, sys
if ctypes.CDLL(None).prctl(65, 1, 0, 0, 0) != 0: sys.exit(99)
if len(sys.argv) > 1: os.execv(sys.argv[1], sys.argv[1:])`

const isDeniable =
  python !== null &&
  process.platform === 'linux' &&
  Bun.spawnSync([python, '-c', denyWriteExecute]).exitCode === 0
const testDenied = testWhere(isDeniable ? null : 'python3 or PR_SET_MDWE is missing')

let world: World
beforeAll(async () => {
  world = await createWorld({ embeddings: true })
  await world.json(['add', 'handbook', '-v', '1', '-s', handbook, '--json'])
})
afterAll(() => world[Symbol.asyncDispose]())

const ask = ['query', 'how is the kettle descaled', '--json']
const add = ['add', 'more', '-v', '1', '-s', handbook]

test('returns the same full-text and vector hits without a JIT compiler', async () => {
  const usual = await world.json(ask)
  expect(await world.json(ask, { env: withoutJit })).toEqual(usual)
})

test('indexes, lists and remembers without a JIT compiler', async () => {
  const run = { env: { ...withoutJit, GROUNDMEMORY_ROOT_DIR: join(world.folder, 'notes') } }
  await world.check(['version'], { stdout: /^\d+\.\d+\.\d+\n$/ }, run)
  const added = await world.json(['add', 'other', '-v', '1', '-s', handbook, '--json'], run)
  expect(added).toMatchObject({ library: 'other', version: '1' })
  expect(await world.json(['list', '--json'], run)).toHaveLength(2)
  await world.og(['memory', 'write', 'the zeppelin lands on friday'], run)
  expect((await world.og(['memory', 'search', 'zeppelin'], run)).stdout).toContain('on friday')
  const checks = await world.json(['doctor', '--json'], run)
  expect(checks).toContainEqual(expect.objectContaining({ name: 'LanceDB', ok: true }))
  expect(checks.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([])
})

test('leaves the environment of child processes and the temporary folder unchanged', async () => {
  const [bin, seen] = [join(world.folder, 'bin'), join(world.folder, 'environment')]
  writeFileSync(join(bin, 'git'), `#!/bin/sh\nenv > ${seen}\nexit 1\n`)
  chmodSync(join(bin, 'git'), 0o755)
  const run = { env: { ...withoutJit, PATH: `${bin}:${process.env.PATH}` } }
  await world.og(['add', 'http://127.0.0.1:9/team/other.git'], run)
  const environment = readFileSync(seen, 'utf8')
  expect(environment).toContain(`TMPDIR=${join(world.folder, 'tmp')}\n`)
  expect(environment).not.toMatch(/SQLITE_TMPDIR|OG_RESTARTED/)
  await world.json(ask, run)
  const left = readdirSync(join(world.folder, 'tmp'))
  expect(left.filter((name) => name.startsWith('og-lance'))).toEqual([])
})

testDenied('answers where memory may not be written and executed', async () => {
  const prefix = [python!, '-c', denyWriteExecute]
  expect(await world.json(ask, { prefix })).toEqual(await world.json(ask))
})

test('serves and stops without a JIT compiler', async () => {
  const server = await startOgServer(world, ['serve', '--port', '0'], { env: withoutJit })
  expect((await fetch(new URL('/health', server.url))).status).toBe(200)
  expect(await endOgServer(server)).toBe(0)
})

test('answers, and reports in one line that the address space is too small for LanceDB', async () => {
  const prefix = ['bash', '-c', 'ulimit -v 1800000; exec "$0" "$@"']
  await world.check(['version'], { stdout: /^\d/ }, { prefix })
  expect(await world.json(ask, { prefix })).toEqual(await world.json(ask))
  await world.check(
    add,
    {
      exitCode: 2,
      stderr: /^error: Cannot load LanceDB: .* is limited to 1.7 GiB, it needs 4 GiB\nhint: /,
    },
    { prefix },
  )
  const doctor = await world.og(['doctor'], { prefix })
  expect(doctor.exitCode).toBe(1)
  expect(doctor.stdout).toMatch(/FAIL {2}store +Cannot load LanceDB/)
  expect(doctor.stdout).not.toContain('og remove')
})

test('reports in one line that the limit on open files is too low', async () => {
  const prefix = ['bash', '-c', 'ulimit -n 40; exec "$0" "$@"']
  await world.check(['version'], { stdout: /^\d/ }, { prefix })
  await world.check(
    add,
    {
      exitCode: 2,
      stderr:
        /^error: Cannot load LanceDB: this process may open 40 files, it needs 64\nhint: .*\n$/,
    },
    { prefix },
  )
  const few = ['bash', '-c', 'ulimit -n 16; exec "$0" "$@"']
  for (const args of [['doctor'], ask, add]) {
    const { exitCode, stdout, stderr } = await world.og(args, { prefix: few })
    // A query of a small library opens few files.
    expect(exitCode).toBeOneOf(args === ask ? [0, 1, 2] : [1, 2])
    expect(stdout + stderr).not.toMatch(/internal:|panic|damaged/)
  }
})

const faketime = Bun.which('faketime')

testWhere(faketime === null ? 'faketime is missing' : null)(
  'backs up, exports and restores with the clock at 1970',
  async () => {
    const run = {
      prefix: [faketime!, '-f', '@1970-01-01 00:00:10'],
      env: { GROUNDMEMORY_ROOT_DIR: join(world.folder, 'notes of 1970') },
    }
    await world.og(['memory', 'write', 'the zeppelin lands on friday'], run)
    const made = await world.json(['memory', 'backup', '--json'], run)
    expect(made.name).toStartWith('1970-01-01_')
    const archive = join(world.folder, 'tmp', 'archive.zip')
    const exported = ['memory', 'export', archive, '--backup', '-1', '--json']
    expect(await world.json(exported, run)).toMatchObject({ path: archive })
    await world.json(['memory', 'restore', '-1', '--yes', '--json'], run)
  },
)
