import { expect, test } from 'bun:test'
import { exclusionJson, exclusionLines } from '../../../src/cli/answer/exclusion.ts'
import type { Exclusion, PageRank } from '../../../src/library/search/explain.ts'
import type { PageFilter } from '../../../src/search/scope/page-filter.ts'

function standing(leftOut: Partial<Exclusion> | null): PageRank {
  const page = { path: 'en/a.md', kind: 'guide', language: null } as const
  return {
    query: 'a query',
    url: 'doc:/a.md',
    library: 'ray',
    version: '2.0.0',
    leftOut: leftOut && { by: [], versions: ['ray 1.0.0', 'vite 6'], ...page, ...leftOut },
    notIndexed: [],
    place: 1,
    nPages: 1,
    first: null,
    best: null,
    reranked: null,
  }
}

function check(by: Exclusion['by'], filter: PageFilter, expected: [string, string]) {
  const [reason, remedy] = exclusionLines(standing({ by }), filter)
  expect([reason!.replace('doc:/a.md was not searched: ', ''), remedy!]).toEqual(expected)
}

test('suggests the command for a page of another version', () => {
  check(['version'], {}, [
    'it is in ray 2.0.0, and asked was ray 1.0.0, vite 6.',
    "Ask there: og explain 'a query' doc:/a.md -l ray -v 2.0.0.",
  ])
})

test('names the option that would include the page, for each filter', () => {
  check(['paths'], { paths: ['de', '!*.rst'] }, [
    "its path is en/a.md, and asked was --path de --path '!*.rst'.",
    'Add --path en/a.md, or leave out --path.',
  ])
  check(['paths'], { paths: ['en', '!a.md'] }, [
    "its path is en/a.md, and --path '!a.md' leaves it out.",
    'Leave that out.',
  ])
  check(['languages', 'kinds'], { languages: ['de'], kinds: ['reference'] }, [
    'its language is en, and asked was --language de; ' +
      'its kind is guide, and asked was --kind reference.',
    'Add --language en, or leave out --language, and add --kind guide, or leave out --kind.',
  ])
  check(['query'], {}, [
    'its language is en, and other pages are in that of the query.',
    'Name --language en.',
  ])
})

test('prints the same information as JSON', () => {
  expect(exclusionJson(standing(null), {})).toBeNull()
  expect(exclusionJson(standing({ by: ['kinds'] }), { kinds: ['reference'] })).toEqual({
    by: ['kind'],
    asked: ['ray 1.0.0', 'vite 6'],
    path: 'en/a.md',
    kind: 'guide',
    language: null,
    reasons: ['its kind is guide, and asked was --kind reference'],
    remedy: 'Add --kind guide, or leave out --kind',
  })
})
