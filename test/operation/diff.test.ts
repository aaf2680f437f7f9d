import { expect, test } from 'bun:test'
import type { DiffRequest } from '../../src/library/diff.ts'
import { diff, sectionStatus } from '../../src/operation/diff.ts'
import { kettle } from '../support/why.ts'

function contextOf() {
  const requests: DiffRequest[] = []
  const sections = [
    { heading: 'Boil', before: null, after: 'It boils.' },
    { heading: 'Cool', before: 'It cools.', after: null },
    { heading: 'Pour', before: 'It pours.', after: 'It pours tea.' },
  ]
  const page = { status: 'changed', path: 'a.md', url: 'doc:/a.md', title: 'A', sections } as const
  const og = {
    async diff(request: DiffRequest) {
      requests.push(request)
      return { from: kettle, to: { ...kettle, version: '2' }, pages: [{ ...page, sections }] }
    },
  }
  return { og, requests }
}

test('labels both sides with library and version', async () => {
  const { og, requests } = contextOf()
  await diff.run(og, { from: 'kettle', to: null, text: null })
  await diff.run(og, { from: '@scope/ui@1', to: '@scope/ui@2', text: 'boil' })
  expect(requests).toEqual([
    { from: { library: 'kettle', version: null }, to: null, text: '' },
    {
      from: { library: '@scope/ui', version: '1' },
      to: { library: '@scope/ui', version: '2' },
      text: 'boil',
    },
  ])
  expect(diff.run(og, { from: 'a b', to: null, text: null })).rejects.toThrow(
    'Cannot compare "a b": it contains no library name',
  )
})

test('the JSON has a status for each section', async () => {
  const json = diff.json(await diff.run(contextOf().og, { from: 'kettle', to: null, text: null }))
  expect(json.from).toEqual({
    library: 'kettle',
    version: '1',
    commit: null,
    indexed_at: kettle.indexedAt,
  })
  expect(json.pages[0]!.sections.map(({ status }) => status)).toEqual([
    'added',
    'removed',
    'changed',
  ])
  expect(sectionStatus({ before: 'a', after: 'b' })).toBe('changed')
})
