import { expect, test } from 'bun:test'
import {
  endRelations,
  followRelations,
  listRelations,
  recordRelation,
} from '../../../src/operation/memory/write.ts'
import { openMemoryHome } from '../../support/memory/mcp-memory.ts'
import { openEach } from '../../support/run/dispose.ts'

const home = openEach(openMemoryHome)
const memory = openEach(async () => (await home().memories()).session())

const facts = {
  supersedes: false,
  note: null,
  source_file: null,
  confidence: null,
  since: null,
  until: null,
}
const record = (subject: string, predicate: string, object: string) =>
  recordRelation.run(memory(), { ...facts, subject, predicate, object })
const any = { entity: null, subject: null, predicate: null, object: null, as_of: null, past: false }
const objects = async (query: object) =>
  listRelations
    .json(await listRelations.run(memory(), { ...any, ...query }))
    .map(({ object, is_past }) => (is_past ? `(${object})` : object))

test('lists an ended relation as past and omits a deleted one', async () => {
  await record('Ann', 'works at', 'Acme')
  await record('Ann', 'likes', 'Tea')
  const choice = { subject: 'Ann', predicate: 'works at', object: null, until: '2199-01-01' }
  const ended = await endRelations.run(memory(), { ...choice, delete: false })
  expect(endRelations.json(ended).removed).toEqual([
    { subject: 'Ann', predicate: 'works at', object: 'Acme' },
  ])
  expect(await objects({ past: true })).toEqual(['(Acme)', 'Tea'])
  expect(await objects({ entity: 'ann' })).toEqual(['Tea'])
  expect(await objects({ as_of: '2198-01-01' })).toEqual(['(Acme)', 'Tea'])
  await endRelations.run(memory(), { ...choice, until: null, delete: true })
  expect(await objects({ past: true })).toEqual(['Tea'])
})

test('the JSON of a relation has is_past', async () => {
  await record('Ann', 'likes', 'Tea')
  const [relation] = listRelations.json(await listRelations.run(memory(), any))
  expect(Object.keys(relation!).sort()).toEqual([
    'confidence',
    'date',
    'id',
    'is_past',
    'line',
    'note',
    'object',
    'predicate',
    'since',
    'source',
    'subject',
    'until',
  ])
  expect(relation).toMatchObject({ is_past: false })
})

test('follows relations for 4 hops by default', async () => {
  for (let i = 0; i < 6; i++) await record(`n${i}`, 'knows', `n${i + 1}`)
  const follow = async (hops: number | null, to: string | null = null) => {
    const input = { entity: 'n0', to, hops, as_of: null }
    return followRelations.json(await followRelations.run(memory(), input))
  }
  expect((await follow(null)).map(({ to }) => to)).toEqual(['n1', 'n2', 'n3', 'n4'])
  const [path] = await follow(2, 'N2')
  expect(path).toMatchObject({ to: 'n2', hops: [{ object: 'n1' }, { is_past: false }] })
})
