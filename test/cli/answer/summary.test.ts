import { expect, test } from 'bun:test'
import { renderPlan, renderSummary } from '../../../src/cli/answer/summary.ts'
import type { AddResult } from '../../../src/library/library.ts'

const result: AddResult = {
  library: 'fastapi',
  version: '0.115.0',
  status: 'updated',
  pages: 144,
  chunks: 1210,
  embedded: 12,
  diff: { added: 1, modified: 5, deleted: 2, unchanged: 138 },
  skipped: [
    { path: 'a', reason: 'not text' },
    { path: 'b', reason: 'larger than 8 MB' },
    { path: 'c', reason: 'not text' },
  ],
  failed: [{ url: 'https://example.org/x', reason: 'not a notebook' }],
  kept: 0,
  incomplete: null,
  seconds: 3.04,
}

function check(changed: Partial<AddResult>, expected: string): void {
  expect(renderSummary({ ...result, ...changed })).toBe(expected)
}

test('names the generators of the sites that were read', () => {
  const site = { generator: 'mdBook', folder: '', pages: 112 }
  expect(renderSummary({ ...result, sites: [site] })).toContain('  site     mdBook (112 pages)\n')
  const other = { generator: 'Sphinx', folder: 'python/docs', pages: 1 }
  expect(renderSummary({ ...result, sites: [other, site] })).toContain(
    '  site     mdBook in / (112 pages), Sphinx in python/docs (1 page)\n',
  )
})

test('shows the leftovers of pages with an example', () => {
  const counts = { includes: 2, shortcodes: 0, components: 1, empty: 0, fileTitle: 0, pages: 3 }
  const leftovers = { ...counts, examples: ['a.md: {{#include x.rs}}'] }
  expect(renderSummary({ ...result, leftovers })).toContain(
    '  leftover 2 includes, 1 component on 3 pages (a.md: {{#include x.rs}})\n',
  )
})

test('shows the number of public names, and of missing ones by reason', () => {
  const group = { reason: 'limit' as const, from: '', count: 2, names: ['kit.a', 'kit.b'] }
  const names = { declared: 12, missing: 2, groups: [group] }
  expect(renderSummary({ ...result, names })).toContain(
    '  names    10 of 12 public names; missing: 2 beyond the size limit of an API reference ' +
      '(kit.a, kit.b)\n',
  )
})

test('lists counts, reasons and failures', () => {
  check(
    {},
    `fastapi 0.115.0: updated
  pages    144 (1 added, 5 modified, 2 deleted, 138 unchanged)
  chunks   1210 (12 embedded now)
  skipped  3 (2 not text; 1 larger than 8 MB)
  failed   1
  time     3.0 s
Failed: https://example.org/x: not a notebook
`,
  )
})

test('shows how many chunks on long pages have no embedding of their own', () => {
  expect(renderSummary({ ...result, shared: 980 })).toContain(
    '  chunks   1210 (12 embedded now; 980 on long pages reuse the embedding of an earlier chunk)\n',
  )
})

test('shows how many unreadable pages keep their old text', () => {
  expect(renderSummary({ ...result, kept: 1 })).toContain('  failed   1 (1 page as before)\n')
})

test('truncates a long list of reasons', () => {
  const skipped = Array.from({ length: 7 }, (_, i) => ({ path: 'p', reason: `reason ${i}` }))
  const text = renderSummary({ ...result, skipped })
  expect(text).toContain('1 reason 4; and other reasons, see --json)')
})

test('counts ignored files by extension, documents first', () => {
  const ignored = { '.png': 40, '.pdf': 3, '.a': 9, '.b': 8, '.c': 7, '.d': 6, '.e': 5, '.tex': 4 }
  expect(renderSummary({ ...result, ignored })).toContain(
    '  ignored  4 .tex, 3 .pdf; 40 .png, 9 .a, 8 .b, 7 .c, 6 .d, and others\n',
  )
})

test('prints the source, the rejected candidates and the command of a plan', () => {
  const plan = {
    library: 'lamp',
    version: '1.2.0',
    source: {
      kind: 'git_repo' as const,
      url: 'https://x.example/lamp.git',
      docsPaths: ['docs', 'README.md'],
    },
    ref: null,
    commit: null,
    how: null,
    rejected: [{ place: 'https://x.example/', reason: 'server answered 404' }],
    replaced: { label: 'lamp 1.2.0', places: 'it came from elsewhere' },
    selection: null,
  }
  expect(renderPlan(plan)).toBe(
    [
      'lamp 1.2.0: nothing is indexed, this is a dry run',
      '  source   https://x.example/lamp.git',
      '  paths    docs, README.md',
      '  passed   https://x.example/: server answered 404',
      '  replaces lamp 1.2.0',
      '  command  og add lamp -s https://x.example/lamp.git -v 1.2.0 -d docs -d README.md',
      '',
    ].join('\n'),
  )
  const skipped = [{ path: 'docs/1.0/a.md', reason: 'an older version than docs/2.0' }]
  const selection = { chosen: ['docs/2.0/a.md'], skipped, missing: [], ignored: { '.pdf': 2 } }
  expect(renderPlan({ ...plan, selection })).toContain(
    '  files    1\n  skipped  1 (1 an older version than docs/2.0)\n  ignored  2 .pdf\n  command',
  )
  const incomplete = { reason: 'cannot reach x.example', host: 'x.example' }
  expect(renderPlan({ ...plan, incomplete })).toContain('\n  lacking  cannot reach x.example\n')
})
