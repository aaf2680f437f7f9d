import { expect, test } from 'bun:test'
import { forgeOf, canonicalHost } from '../../src/source/page-address.ts'

function check(hosts: Record<string, ReturnType<typeof forgeOf>>): void {
  const found = Object.keys(hosts).map((host) => [host, forgeOf(host)])
  expect(Object.fromEntries(found)).toEqual(hosts)
}

test('recognises known hosts, even by alternative names', () => {
  check({
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
  check({ 'gitlab.example.org': 'gitlab', 'forgejo.x.y.z': 'gitea', 'git.kernel.org': 'plain' })
})

test('does not mistake sites about a forge for a forge', () => {
  check({
    'docs.github.com': null,
    'github.io': null,
    'example.org': null,
    'notgithub.com': null,
    'github.com.example.org': 'github',
    '': null,
  })
  expect(canonicalHost('www.example.org')).toBe('www.example.org')
})
