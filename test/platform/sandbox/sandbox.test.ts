import { afterEach, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism, constants } from 'node:os'
import { join } from 'node:path'
import type { SandboxLimits } from '../../../src/platform/sandbox/sandbox-limits.ts'
import { openSandbox, type Sandbox } from '../../../src/platform/sandbox/sandbox.ts'
import { OgError } from '../../../src/platform/error.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { until } from '../../support/until.ts'
import { testWhere } from '../../support/where.ts'

const works = join(import.meta.dir, '../..', 'support', 'programs', 'sandbox-works.ts')

let sandbox: Sandbox
afterEach(() => sandbox[Symbol.dispose]())

function open(limits: Partial<SandboxLimits> = {}, command = [process.execPath, works]): Sandbox {
  return (sandbox = openSandbox(command, limits))
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)
const isAlive = (pid: number) =>
  existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))

/** Returns the output of each job, or the message of its error. */
function outcomes(jobs: Promise<unknown>[]): Promise<unknown[]> {
  return Promise.all(jobs.map((job) => job.catch((error: Error) => error.message)))
}

test('runs many jobs in at most two processes, each with its own outcome', async () => {
  open()
  const inputs = numbers(200).map((i) => ({ i, bytes: new Uint8Array([i]), text: `ü${i}` }))
  expect(await Promise.all(inputs.map((input) => sandbox.run('echo', input)))).toEqual(inputs)
  const pids = await Promise.all(numbers(20).map(() => sandbox.run<number>('pid', null)))
  expect(new Set(pids).size).toBeLessThanOrEqual(2)
  expect(pids).not.toContain(process.pid)
})

test('starts one process ahead of the first job, and ends it if no job follows', async () => {
  const command = (file: string) => ['sh', '-c', `echo x >> ${file}; exec "$@"`, 'sh']
  await using temp = await createTempFolder('og-sandbox')
  const file = join(temp.path, 'starts')
  open({ idleMs: 100 }, [...command(file), process.execPath, works])
  sandbox.start()
  sandbox.start()
  await until('the process has started', () => existsSync(file))
  const pid = await sandbox.run<number>('pid', null)
  await until('the process has ended', () => !isAlive(pid))
  expect(readFileSync(file, 'utf8')).toBe('x\n')
})

const oneCore = availableParallelism() > 1 ? null : 'one processor'

testWhere(oneCore)('starts a second process too if jobs continue after a short pause', async () => {
  open({ aloneMs: 200 })
  const pids = new Set<number>()
  await until('two processes have run jobs', async () => {
    const found = await Promise.all(numbers(20).map(() => sandbox.run<number>('pid', null)))
    for (const pid of found) pids.add(pid)
    return pids.size > 1
  })
  expect(pids.size).toBe(2)
})

testWhere(oneCore)('runs jobs of a reserved kind while another job runs', async () => {
  open()
  sandbox.start()
  sandbox.start('pid')
  sandbox.start('pid')
  const stop = new AbortController()
  const endless = outcomes([sandbox.run('match', null, { signal: stop.signal })])
  const pids = [await sandbox.run<number>('pid', null), await sandbox.run<number>('pid', null)]
  expect(pids[1]).toBe(pids[0]!)
  stop.abort(new Error('stopped'))
  expect(await endless).toEqual(['stopped'])
})

test('sends small jobs in one batch, and each large job separately', async () => {
  open()
  const echoes = (bytes: number) =>
    Promise.all(numbers(64).map((i) => sandbox.run('echo', i, { bytes })))
  const messages = () => sandbox.run<number>('messages', null)
  await messages()
  await echoes(100)
  const few = await messages()
  expect(few).toBeLessThan(10)
  await echoes(100_000)
  expect((await messages()) - few).toBeGreaterThan(60)
})

test('fails only the job of a batch that ends its process', async () => {
  open()
  const jobs = numbers(40).map((i) => sandbox.run(i % 20 === 3 ? 'exit' : 'echo', i))
  const expected = numbers(40).map((i) => (i % 20 === 3 ? 'its process ended (7)' : i))
  expect(await outcomes(jobs)).toEqual(expected)
})

test('retries a job separately if its batch ran out of memory', async () => {
  open({ memoryBytes: 400e6 })
  const jobs = numbers(4).map(() => sandbox.run('fill', 200, { bytes: 1e6 }))
  expect(await outcomes(jobs)).toEqual(Array(4).fill(200))
})

test('reports the reason of a failure, with code and hint only for an OgError', async () => {
  open()
  expect(await outcomes([sandbox.run('fail', 'it is torn')])).toEqual(['it is torn'])
  const refused = await sandbox.run('refuse', null).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(OgError)
  expect(refused).toMatchObject({
    message: 'Cannot count: no numbers',
    code: 'denied',
    reason: 'no numbers',
    hint: 'bring some',
  })
})

test('rejects at once when the caller aborts', async () => {
  open()
  const stop = new AbortController()
  const jobs = numbers(3).map(() => sandbox.run('match', null, { signal: stop.signal }))
  await sandbox.run('match', null, { signal: AbortSignal.abort('before') }).catch(() => {})
  setTimeout(() => stop.abort(new Error('stopped')), 200)
  expect(await outcomes(jobs)).toEqual(['stopped', 'stopped', 'stopped'])
})

test('ends an idle process, and the next job starts another', async () => {
  open({ idleMs: 50 })
  const pid = await sandbox.run<number>('pid', null)
  await until('the process has ended', () => !isAlive(pid))
  expect(await sandbox.run<number>('pid', null)).not.toBe(pid)
})

test('runs a job in a new process if the old one is just exiting', async () => {
  open({ idleMs: 1 })
  for (let i = 0; i < 30; i++) {
    expect(await sandbox.run<number>('echo', i)).toBe(i)
    // Varies when the next job arrives: before, during and after the end of the process.
    for (let turn = 0; turn < i; turn++) await new Promise(setImmediate)
    await Bun.sleep(i % 3)
  }
})

test('replaces an idle process that was killed', async () => {
  open()
  for (let i = 0; i < 10; i++) {
    const pid = await sandbox.run<number>('pid', null)
    process.kill(pid, 'SIGKILL')
    // The next job starts before this process notices the kill, after it, or at about the same
    // time.
    if (i % 3 === 0) Bun.sleepSync(50)
    if (i % 3 === 1) await until('the process has ended', () => !isAlive(pid))
    expect(await sandbox.run<number>('pid', null)).not.toBe(pid)
  }
})

test('fails each job if no process can be started', async () => {
  open({}, ['/nonexistent/og'])
  const [first, second] = await outcomes([sandbox.run('echo', 1), sandbox.run('echo', 2)])
  expect([first, second]).toEqual([expect.stringContaining('/nonexistent/og'), first])
})

const notLinux = process.platform === 'linux' ? null : 'the call is of Linux'
testWhere(notLinux)('does not call Linux functions on other systems', async () => {
  open()
  expect(await sandbox.run<number>('deathSignal', null)).toBe(constants.signals.SIGKILL)
  sandbox[Symbol.dispose]()
  open({}, [process.execPath, works, 'win32'])
  expect(await sandbox.run<number>('deathSignal', null)).toBe(0)
})

test('a busy process ends with its parent', async () => {
  const script = `
    const { openSandbox } = await import(${JSON.stringify(join(import.meta.dir, '../../../src/platform/sandbox/sandbox.ts'))})
    const sandbox = openSandbox(${JSON.stringify([process.execPath, works])})
    console.log(await sandbox.run('pid', null))
    await sandbox.run('match', null)`
  open()
  const parent = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe' })
  const { value } = await parent.stdout.getReader().read()
  const pid = Number(Buffer.from(value!).toString())
  expect(isAlive(pid)).toBe(true)
  await Bun.sleep(300)
  parent.kill('SIGKILL')
  await parent.exited
  await until('the process has ended', () => !isAlive(pid))
})
