import { expect, test } from 'bun:test'
import { isPlan, pageKind, type PageKind } from '../../src/page/page-kind.ts'

function check(expected: PageKind, path: string, title = '') {
  expect(`${path} | ${title}: ${pageKind({ path, title })}`).toBe(`${path} | ${title}: ${expected}`)
}

test('classifies API lists and option tables as reference pages', () => {
  check('reference', 'docs/en/docs/reference/background.md', 'Background Tasks')
  check('reference', 'source/reference/operator/aggregation/not.txt', '$not (aggregation)')
  check('reference', 'doc/source/tune/api/schedulers.rst', 'Tune Trial Schedulers')
  check('reference', 'docs/guide/api-hmr.md', 'HMR API')
  check('reference', 'docs/config/server-options.md', 'Server Options')
  check('reference', 'doc/source/cluster/cli.rst', 'Cluster Management CLI')
  check('reference', '/docs/latest/whatever.html', 'db.collection.find()')
  check('reference', 'pages/effects.md', 'useEffect')
  check('reference', 'a.md', '`--no-cache`')
  check('reference', 'man/lag.Rd', 'Compute lagged values — lag')
  check('reference', 'lib/Mojo/Base.pm', 'Mojo::Base - Minimal base class')
})

test('classifies pages about changes as changelogs', () => {
  check('changelog', 'CHANGELOG.md', 'Changes')
  check('changelog', 'docs/en/docs/release-notes.md', 'Release Notes')
  check('changelog', 'source/release-notes/3.6-upgrade.txt', 'Upgrade MongoDB to 3.6')
  check('changelog', 'docs/whatsnew/3.12.rst', 'Python 3.12')
  check('changelog', 'docs/changes/hotupdate-hook.md', 'HMR hotUpdate Plugin Hook')
  check('changelog', 'project.md', 'Changelog')
  check('changelog', 'docs/blog/announcing-vite6.md', 'Vite 6.0 is out!')
  check('changelog', 'doc/upcoming_changes/123.md', 'Faster sums')
  check('guide', 'docs/blog.mdx', 'Blog')
  check('changelog', 'html/dist.html', '2. NEWS')
  check('guide', 'project.md', 'News of the world')
})

test('classifies all other pages as guides', () => {
  check('guide', 'docs/en/docs/tutorial/body.md', 'Request Body')
  check('guide', 'docs/guide/migration.md', 'Migration from v5')
  check('guide', 'source/core/gridfs.txt', 'GridFS')
  check('guide', 'README.md', 'Vue.js')
  check('guide', 'docs/tutorial/api-keys/index.md', 'API keys')
  check('guide', '', '')
})

test('classifies by the innermost folder that is named after a kind', () => {
  check('guide', 'api/tutorial/first.md', 'First steps')
  check('reference', 'guides/reference/flags.md', 'Flags')
})

test('recognises planning notes by their title, or by several headings and check boxes', () => {
  const isNote = (title: string, text = '') => isPlan({ title, text })
  expect(isNote('Ticket: Add parallel workers')).toBe(true)
  expect(isNote('RFC 12: Streams')).toBe(true)
  expect(isNote('Roadmap')).toBe(true)
  expect(isNote('Tickets')).toBe(false)
  expect(isNote('Plan a route')).toBe(false)
  const boxes = '- [x] one\n- [ ] two\n- [ ] three\n'
  expect(isNote('Faster', `## Acceptance criteria\n\n${boxes}\n**Phase 1 — landed.** It is.`)).toBe(
    true,
  )
  expect(isNote('Task lists', `Write boxes:\n\n${boxes}`)).toBe(false)
  expect(isNote('Compiler', '## Phase 1\n\nParse.\n\n## Phase 2\n\nLink.\n\n## Goals')).toBe(false)
})
