import { expect, test } from 'bun:test'
import type { LibraryVersion } from '../../src/library/library.ts'
import type { LockRequest } from '../../src/library/lock.ts'
import { list, remove, rollback } from '../../src/operation/library.ts'
import { kettle } from '../support/why.ts'

const indexed = [
  kettle,
  { ...kettle, version: '1.5' },
  { ...kettle, library: 'Oven', incomplete: 'cannot reach git.example' },
]

function listed(search_term: string | null) {
  return list.run({ versions: async () => indexed }, { search_term })
}

test('lists the libraries whose name contains the term', async () => {
  expect((await listed(null)).value.libraries).toEqual(indexed)
  expect((await listed(' OV ')).value.libraries).toEqual([indexed[2]!])
  expect((await listed('kettel')).value).toEqual({
    libraries: [],
    nearest: ['kettle'],
    indexed: ['kettle', 'Oven'],
  })
})

test('notes versions with gaps in their source', async () => {
  const reason = 'cannot reach git.example'
  expect((await listed(null)).notes).toEqual([
    { kind: 'source-gap', library: 'Oven', version: '1', reason },
  ])
  expect((await listed('kettle')).notes).toEqual([])
})

test('the JSON of an indexed version includes its sizes', async () => {
  const holding = {
    ...kettle,
    bytes: 9,
    previousBytes: 0,
    previous: null,
    embedded: null,
    stale: [],
  }
  const [one, other] = list.json({
    value: { libraries: [kettle, holding], nearest: [], indexed: [] },
    notes: [],
  })
  expect(one).toMatchObject({ library: 'kettle', source: '/docs', indexed_at: kettle.indexedAt })
  const { bytes, previous_bytes, stale, ...rest } = other!
  expect(rest).toEqual(one!)
  expect({ bytes, previous_bytes, stale }).toEqual({ bytes: 9, previous_bytes: 0, stale: [] })
})

/** Runs `remove` with a user who confirms each version that `yes` accepts. */
async function removed(input: { library: string; version?: string; all?: boolean }, yes = true) {
  const asked: string[] = []
  const requests: LockRequest[] = []
  const og = {
    list: async () => indexed,
    async remove(request: LockRequest): Promise<LibraryVersion> {
      requests.push(request)
      return kettle
    },
  }
  const confirm = async (doomed: readonly LibraryVersion[]) => {
    asked.push(...doomed.map(({ version }) => version))
    return yes
  }
  const given = { version: null, all: false, lock_timeout: 2, ...input }
  const answer = await remove.run({ og, confirm }, given)
  return { asked, requests, json: remove.json(answer), value: answer.value }
}

test('removes exactly the confirmed versions', async () => {
  const one = await removed({ library: 'KETTLE', version: '1' })
  expect(one.requests).toEqual([{ library: 'kettle', version: '1', lockTimeoutMs: 2000 }])
  expect(one.json.map(({ version }) => version)).toEqual(['1'])
  const all = await removed({ library: 'kettle', all: true })
  expect(all.requests.map(({ version }) => version)).toEqual(['1', '1.5'])
  const none = await removed({ library: 'kettle', all: true }, false)
  expect((await removed({ library: 'oven' })).asked).toEqual(['1'])
  expect(none).toMatchObject({ asked: ['1', '1.5'], requests: [], json: [], value: null })
})

test('refuses to remove a library or version that is not named in full', async () => {
  for (const [input, message] of [
    [{ library: 'kettle' }, 'Missing option --version of "og remove"'],
    [{ library: 'kettle', version: '1', all: true }, 'Cannot use --version with --all'],
    [{ library: 'kettle', version: '1.' }, 'Library "kettle" has no version "1."'],
    [{ library: 'kettel', all: true }, 'Unknown library "kettel"'],
  ] as const) {
    expect(removed(input)).rejects.toThrow(message)
  }
})

test('passes the lock timeout to a rollback and reports a wait', async () => {
  const waiting: string[] = []
  const og = {
    list: async () => indexed,
    async rollback({ onWait, lockTimeoutMs }: Pick<LockRequest, 'onWait' | 'lockTimeoutMs'>) {
      onWait?.()
      waiting.push(`${lockTimeoutMs}`)
      return kettle
    },
  }
  const input = { library: 'kettle', version: null, lock_timeout: null }
  const answer = await rollback.run({ og, onWait: (library) => void waiting.push(library) }, input)
  expect(waiting).toEqual(['kettle', '600000'])
  expect(rollback.json(answer)).toMatchObject({ library: 'kettle', version: '1' })
})
