import { afterEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { SandboxLimits } from '../../../src/platform/sandbox/sandbox-limits.ts'
import { openSandbox, type Sandbox } from '../../../src/platform/sandbox/sandbox.ts'
import { OgError } from '../../../src/platform/error.ts'

const works = join(import.meta.dir, '../..', 'support', 'programs', 'sandbox-works.ts')

let sandbox: Sandbox
afterEach(() => sandbox[Symbol.dispose]())

function open(limits: Partial<SandboxLimits> = {}, command = [process.execPath, works]): Sandbox {
  return (sandbox = openSandbox(command, limits))
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)

/** Returns the output of each job, or the message of its error. */
function outcomes(jobs: Promise<unknown>[]): Promise<unknown[]> {
  return Promise.all(jobs.map((job) => job.catch((error: Error) => error.message)))
}

test('kills a process during an endless match, and finishes all other jobs', async () => {
  open({ jobMs: 500 })
  const jobs = [
    ...numbers(10).map((i) => sandbox.run('echo', i)),
    sandbox.run('match', null, { doing: 'reading' }),
    ...numbers(30).map((i) => sandbox.run('echo', 10 + i)),
  ]
  expect(await outcomes(jobs)).toEqual([
    ...numbers(10),
    'reading it takes longer than 0.5 s',
    ...numbers(40).slice(10),
  ])
})

test('limits memory and fails only the job that exceeds the limit', async () => {
  open({ memoryBytes: 300e6 })
  const jobs = [
    sandbox.run('echo', 1),
    sandbox.run('hoard', null, { doing: 'reading' }),
    sandbox.run('echo', 2),
    sandbox.run('exit', null),
    sandbox.run('echo', 3),
  ]
  expect(await outcomes(jobs)).toEqual([
    1,
    'reading it takes over 300 MB of memory',
    2,
    'its process ended (7)',
    3,
  ])
})

test("excludes the time of the parent's answers from the time limit", async () => {
  open({ jobMs: 1500 })
  const answer = async (name: string) => {
    await Bun.sleep(800)
    if (name === 'c') throw new OgError('there is no c')
    return name.toUpperCase()
  }
  const jobs = [['a', 'b', 'a'], ['c']].map((names) => sandbox.run('ask', names, { answer }))
  expect(await outcomes(jobs)).toEqual([['A', 'B', 'A'], 'there is no c'])
})
