import { expect, test } from 'bun:test'
import { beginsWithForge, repositoryOf } from '../../../src/source/git/address.ts'

/** @param expected `URL` or `URL @ REFPATH`; null if it is no repository */
function check(address: string, expected: string | null): void {
  const found = repositoryOf(new URL(address))
  const shown = found && (found.refPath === null ? found.url : `${found.url} @ ${found.refPath}`)
  expect(shown).toBe(expected)
}

test('finds the repository and the path within it on each forge', () => {
  check('https://github.com/a/b/', 'https://github.com/a/b')
  check('https://www.github.com/a/b/tree/v1.0/docs/en', 'https://github.com/a/b.git @ v1.0/docs/en')
  check('https://github.com/a/b/releases/tag/v1', 'https://github.com/a/b.git @ v1')
  check('https://gitlab.com/g/s/p/-/tree/main/docs', 'https://gitlab.com/g/s/p.git @ main/docs')
  check('https://gitlab.com/group/sub/project', 'https://gitlab.com/group/sub/project')
  check('https://bitbucket.org/a/b/src/main/docs', 'https://bitbucket.org/a/b.git @ main/docs')
  check('https://codeberg.org/a/b/src/branch/main/d', 'https://codeberg.org/a/b.git @ main/d')
  check('https://any.example/x/y/-/tree/v2', 'https://any.example/x/y.git @ v2')
})

test('decodes the path and keeps user, port and other parts', () => {
  check('https://u:p@git.example.org:8443/a.git', 'https://u:p@git.example.org:8443/a.git')
  check('https://github.com/a/b/tree/main/my%20docs', 'https://github.com/a/b.git @ main/my docs')
  check('https://dev.azure.com/o/p/_git/r', 'https://dev.azure.com/o/p/_git/r')
})

test('returns null for sites, and rejects other pages of a forge', () => {
  check('https://docs.github.com/en/pages', null)
  check('https://github.com/sitemap.xml', null)
  check('https://example.org/a/b', null)
  expect(() => repositoryOf(new URL('https://github.com/a/b/issues/7'))).toThrow(
    'names no repository, folder or file',
  )
})

test('recognises a forge in text without a scheme', () => {
  const typed = ['github.com/a/b', 'GITHUB.com/a', 'github.com', 'example.org/a', './github.com/a']
  expect(typed.filter(beginsWithForge)).toEqual(['github.com/a/b', 'GITHUB.com/a'])
})
