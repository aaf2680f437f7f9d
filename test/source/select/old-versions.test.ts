import { describe, expect, test } from 'bun:test'
import { selectPaths, replacedVersions } from '../../../src/source/select/select.ts'
import { usedCpuMs } from '../../support/pages/cpu-time.ts'

/** Returns the paths of the pages `a` and `b` in each of these folders. */
function inEach(...folders: string[]): string[] {
  return folders.flatMap((folder) => [`${folder}/a.md`, `${folder}/b.md`])
}

function check(name: string, paths: string[], left: string[]) {
  test(name, () => {
    expect([...replacedVersions(paths).keys()].sort()).toEqual(left.sort())
  })
}

describe('leaves out older versions', () => {
  check(
    'keeps the newest of several versions',
    [...inEach('docs/0.9.1', 'docs/0.10.0', 'docs/0.2.0'), 'docs/0.2.0/c.md', 'docs/index.md'],
    [...inEach('docs/0.9.1', 'docs/0.2.0'), 'docs/0.2.0/c.md'],
  )
  check(
    'keeps pages without a version above the folders of versions',
    [...inEach('x/vl', 'x/vl/0.5.1', 'x/vl/v0.6')],
    inEach('x/vl/0.5.1', 'x/vl/v0.6'),
  )
  check(
    'keeps the folder that is named as the current version',
    inEach('latest', '2.x', '1.x'),
    inEach('2.x', '1.x'),
  )
  check(
    'keeps the docs folder of Docusaurus, beside its versions or at the top',
    inEach('docs', 'site/versioned_docs/version-1.0', 'site/versioned_docs/version-2.0'),
    inEach('site/versioned_docs/version-1.0', 'site/versioned_docs/version-2.0'),
  )
  check(
    'keeps the named docs folder of Docusaurus',
    inEach('guides', 'docs', 'guides_versioned_docs/version-1.0'),
    inEach('guides_versioned_docs/version-1.0'),
  )
  check(
    'keeps the pages above the folder of an old major version',
    inEach('docs', 'docs/v2', 'docs/v3'),
    inEach('docs/v2', 'docs/v3'),
  )
})

describe('keeps versions that do not replace each other', () => {
  check('keeps versions with other pages', ['docs/1.0/a.md', 'docs/2.0/b.md', 'docs/2.0/c.md'], [])
  check('keeps the notes of each release', inEach('release-notes/1.0', 'release-notes/1.1'), [])
  check('keeps the versions of an interface', inEach('api/v1', 'api/v2'), [])
  check('ignores index pages', ['1.0/index.md', '2.0/index.md', '2.0/README.md', 'index.md'], [])
})

test('reads the version in a docs path', () => {
  const paths = inEach('docs/1.0', 'docs/2.0')
  const { chosen, skipped } = selectPaths(paths, [])
  expect(chosen).toEqual(inEach('docs/2.0'))
  const reason = 'an older version than docs/2.0; --docs-path reads it'
  expect(skipped[0]).toEqual({ path: 'docs/1.0/a.md', reason })
  expect(selectPaths(paths, ['docs/1.0']).chosen).toEqual(inEach('docs/1.0'))
})

test('takes time proportional to the number of paths', () => {
  const paths = Array.from({ length: 100_000 }, (_, at) => `d/${at % 500}.${at % 7}/p${at % 11}.md`)
  const startedAt = usedCpuMs()
  replacedVersions(paths)
  expect(usedCpuMs() - startedAt).toBeLessThan(3000)
})
