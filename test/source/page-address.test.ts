import { describe, expect, test } from 'bun:test'
import {
  canonicalHost,
  decodePercent,
  encodePath,
  fileAddress,
  forgeOf,
} from '../../src/source/page-address.ts'

describe('the URL of a file at a ref', () => {
  const check = (url: string, expected: string) =>
    test(url, () =>
      expect(fileAddress(url, 'docs/a b.md', { ref: 'v1/x', refKind: 'tag' })).toBe(expected),
    )

  check('https://github.com/o/r', 'https://github.com/o/r/blob/v1/x/docs/a%20b.md')
  check('https://GitHub.com/o/r.git/', 'https://github.com/o/r/blob/v1/x/docs/a%20b.md')
  check('git@github.com:o/r.git', 'https://github.com/o/r/blob/v1/x/docs/a%20b.md')
  check('ssh://git@ssh.github.com:443/o/r.git', 'https://github.com/o/r/blob/v1/x/docs/a%20b.md')
  check('https://gitlab.com/g/s/r.git', 'https://gitlab.com/g/s/r/-/blob/v1/x/docs/a%20b.md')
  check('https://bitbucket.org/o/r', 'https://bitbucket.org/o/r/src/v1/x/docs/a%20b.md')
  check('https://codeberg.org/o/r', 'https://codeberg.org/o/r/src/tag/v1/x/docs/a%20b.md')
  check('https://x.org:8443/r.git', 'https://x.org:8443/r/blob/v1/x/docs/a%20b.md')
  check('host:~me/r', 'https://host/~me/r/blob/v1/x/docs/a%20b.md')
  check('git://host:9418/r.git', 'https://host/r/blob/v1/x/docs/a%20b.md')
  check('file:///srv/r.git', 'file:///srv/r.git/v1/x/docs/a%20b.md')
  check('/srv/my r.bundle', 'file:///srv/my%20r.bundle/v1/x/docs/a%20b.md')

  describe('W-08 removes .git only at the end', () => {
    check(
      'https://github.com/foo/foo.github.io.git',
      'https://github.com/foo/foo.github.io/blob/v1/x/docs/a%20b.md',
    )
    check('https://www.github.com/o/r.git', 'https://github.com/o/r/blob/v1/x/docs/a%20b.md')
  })

  test('removes the user and the password', () =>
    expect(
      fileAddress('https://me:secret@x.org/r', 'a.md', { ref: 'main', refKind: 'branch' }),
    ).toBe('https://x.org/r/blob/main/a.md'))
})

describe('percent-encoding a path', () => {
  const check = (path: string, expected: string) =>
    test(JSON.stringify(path), () => {
      expect(encodePath(path)).toBe(expected)
      expect(decodeURIComponent(encodePath(path))).toBe(path.toWellFormed())
    })

  check('a/b-c_d.~e', 'a/b-c_d.~e')
  check('a b"c\n', 'a%20b%22c%0A')
  check('q?#%2F', 'q%3F%23%252F')
  check('@scope/x:y+z', '@scope/x:y+z')
  check('ö', '%C3%B6')
  check('back\\slash', 'back%5Cslash')
  check('\ud800', '%EF%BF%BD')
})

test('decodes UTF-8, and keeps a bare %', () => {
  expect(decodePercent('/a%20b/%C3%A9%e2%82%ac')).toBe('/a b/é€')
  expect(decodePercent('100% %zz %2 %')).toBe('100% %zz %2 %')
  expect(decodePercent('%252F')).toBe('%2F')
  expect(decodePercent('%ff')).toBe('\ufffd')
})

function checkForges(hosts: Record<string, ReturnType<typeof forgeOf>>): void {
  const found = Object.keys(hosts).map((host) => [host, forgeOf(host)])
  expect(Object.fromEntries(found)).toEqual(hosts)
}

test('recognises known hosts, even by alternative names', () => {
  checkForges({
    'github.com': 'github',
    'GitHub.com': 'github',
    'www.github.com': 'github',
    'ssh.github.com': 'github',
    'altssh.gitlab.com': 'gitlab',
    'codeberg.org': 'gitea',
    'gist.github.com': 'plain',
  })
})

test('recognises a self-hosted forge by its first label', () => {
  checkForges({
    'gitlab.example.org': 'gitlab',
    'forgejo.x.y.z': 'gitea',
    'git.kernel.org': 'plain',
  })
})

test('does not mistake sites about a forge for a forge', () => {
  checkForges({
    'docs.github.com': null,
    'github.io': null,
    'example.org': null,
    'notgithub.com': null,
    'github.com.example.org': 'github',
    '': null,
  })
  expect(canonicalHost('www.example.org')).toBe('www.example.org')
})
