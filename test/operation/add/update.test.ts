import { expect, test } from 'bun:test'
import type { UpdateOutcome, UpdateRequest } from '../../../src/library/add/update.ts'
import type { ResumeRequest } from '../../../src/library/add/reembed.ts'
import { resume, update } from '../../../src/operation/add/update.ts'
import { OgError } from '../../../src/platform/error.ts'
import { kettle } from '../../support/why.ts'

const result = {
  library: 'kettle',
  version: '1',
  status: 'updated' as const,
  pages: 1,
  chunks: 2,
  embedded: 2,
  diff: { added: 0, modified: 1, deleted: 0, unchanged: 0 },
  skipped: [],
  failed: [],
  kept: 0,
  incomplete: null,
  seconds: 1,
}
const error = new OgError('Cannot read "/docs": no such folder', { hint: 'name another' })
const outcomes: UpdateOutcome[] = [
  { library: 'kettle', version: '1', result, error: null },
  { library: 'oven', version: '2', result: null, error },
]

/** A store that records the requests and returns the given outcomes. */
function storeOf() {
  const requests: (UpdateRequest | ResumeRequest)[] = []
  async function* run(request: UpdateRequest | ResumeRequest) {
    requests.push(request)
    yield* outcomes
  }
  return { requests, og: { list: async () => [kettle], update: run, resume: run } }
}

const input = {
  library: null,
  all: false,
  version: null,
  source: null,
  force: false,
  min_health: null,
  lock_timeout: 3,
}

function updated(changed: Partial<typeof input> | { library: string; source?: string }) {
  const told: UpdateOutcome[] = []
  const { requests, og } = storeOf()
  const context = {
    og,
    config: { reach: null, sources: { autoAddLocal: false, filePath: null } },
    surroundings: { env: {}, cwd: '/', home: '/nowhere' },
    dialog: { canAsk: false, ask: async () => false, askText: async () => '', note() {} },
    newerPack: async () => null,
    onOutcome: async (outcome: UpdateOutcome) => void told.push(outcome),
  }
  return { told, requests, answer: update.run(context, { ...input, ...changed }) }
}

test('updates all libraries and reports each outcome immediately', async () => {
  const { told, requests, answer } = updated({ all: true })
  expect((await answer).value).toEqual(outcomes)
  expect(told).toEqual(outcomes)
  expect(requests[0]).toMatchObject({ library: null, source: null, lockTimeoutMs: 3000 })
})

test('the JSON contains the results, and the failures with their hints', async () => {
  const failure = { library: 'oven', version: '2', error: error.message, hint: 'name another' }
  const json = update.json(await updated({ library: 'KETTLE', source: '/' }).answer)
  expect(json).toEqual({ results: [result], failures: [failure] })
})

test('rejects an update without a library, or with both a library and --all', async () => {
  await expect(updated({}).answer).rejects.toThrow('Either provide a library name or use --all')
  const both = updated({ library: 'kettle', ...{ all: true } }).answer
  await expect(both).rejects.toThrow('--all cannot be used with kettle')
})

test('reports a library as not indexed if only a source list has it', async () => {
  await expect(updated({ library: 'vite' }).answer).rejects.toMatchObject({
    message: 'Library "vite" not found: it is not indexed',
    hint: 'og add vite indexes it, from the bundled list',
  })
})

test('resumes a library without its source', async () => {
  const { requests, og } = storeOf()
  const given = { library: 'kettle', version: null, lock_timeout: null }
  const answer = await resume.run({ og, onOutcome: async () => {} }, given)
  expect(requests).toEqual([{ library: 'kettle', version: null, lockTimeoutMs: 600_000 }])
  expect(resume.json(answer).results).toEqual([result])
})
