/** Tests `serveSandbox` from the parent's side, by the messages it receives and its replies. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import type {
  SandboxJob,
  SandboxOutcome,
  MessageFromChild,
  MessageToChild,
} from '../../../src/platform/sandbox/sandbox-message.ts'
import { until } from '../../support/until.ts'

const works = join(import.meta.dir, '../..', 'support', 'programs', 'sandbox-works.ts')

let child: Bun.Subprocess
let told: MessageFromChild[]
beforeEach(async () => {
  told = []
  child = Bun.spawn([process.execPath, works], {
    stdio: ['ignore', 'ignore', 'ignore'],
    serialization: 'advanced',
    ipc: (message: MessageFromChild) => void told.push(message),
  })
  await until('it is ready', () => told.length > 0)
})
afterEach(async () => {
  child.kill('SIGKILL')
  await child.exited
})

const send = (message: MessageToChild) => child.send(message)
const jobs = (...list: [string, unknown][]): SandboxJob[] =>
  list.map(([kind, input], id) => ({ id, kind, input }))
const outcomes = (): SandboxOutcome[] =>
  told.flatMap((message) => (message.type === 'done' ? message.outcomes : []))
const done = (count: number) => until(`${count} jobs are done`, () => outcomes().length >= count)

test('reports that it is ready, and then only replies', async () => {
  send({ jobs: [] })
  send({ jobs: jobs(['echo', 1]) })
  await done(1)
  expect(told).toEqual([{ type: 'ready' }, { type: 'done', outcomes: [{ output: 1 }] }])
})

test('runs jobs in order, and continues after a failed one', async () => {
  send({
    jobs: jobs(['echo', 'a'], ['fail', 'no ü'], ['refuse', null], ['none', 0], ['echo', 'b']),
  })
  send({ jobs: jobs(['echo', 'c']) })
  await done(6)
  expect(outcomes()).toEqual([
    { output: 'a' },
    { refused: { message: 'no ü' } },
    {
      refused: {
        message: 'Cannot count: no numbers',
        ours: { code: 'denied', reason: 'no numbers', hint: 'bring some' },
      },
    },
    { refused: { message: expect.stringContaining('not a function') } },
    { output: 'b' },
    { output: 'c' },
  ])
})

test('reports the outcomes of quick jobs together', async () => {
  const inputs = Array.from({ length: 200 }, (_, i) => ['echo', i] as [string, unknown])
  send({ jobs: jobs(...inputs) })
  await done(200)
  expect(outcomes()).toEqual(inputs.map(([, output]) => ({ output })))
  // The limit is generous because a busy machine may report fewer jobs together.
  expect(told.length).toBeLessThan(100)
})

test('reports finished jobs before the batch ends if the batch takes long', async () => {
  send({ jobs: jobs(['fill', 1], ['echo', 2]) })
  await done(2)
  expect(told.slice(1)).toEqual([
    { type: 'done', outcomes: [{ output: 1 }] },
    { type: 'done', outcomes: [{ output: 2 }] },
  ])
})

test('lets a job send several requests to its parent, and passes on an error reply', async () => {
  send({ jobs: jobs(['ask', ['a', 'b']], ['ask', ['c']], ['echo', 'end']) })
  const asked = () => told.filter((message) => message.type === 'asked')
  const answered = async (count: number, answer: MessageToChild) => {
    await until(`${count} questions`, () => asked().length === count)
    send(answer)
  }
  await answered(1, { id: 0, answer: ['first'] })
  await answered(2, { id: 0, answer: null })
  await answered(3, { id: 1, refused: { message: 'no such file' } })
  await done(3)
  expect(asked().map(({ id, question }) => [id, question])).toEqual([
    [0, 'a'],
    [0, 'b'],
    [1, 'c'],
  ])
  expect(outcomes()).toEqual([
    { output: [['first'], null] },
    { refused: { message: 'no such file' } },
    { output: 'end' },
  ])
})

test('exits when its parent disconnects, even during a job', async () => {
  send({ jobs: jobs(['linger', null]) })
  child.disconnect()
  expect(await child.exited).toBe(0)
})
