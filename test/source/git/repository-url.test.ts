import { expect, test } from 'bun:test'
import {
  checkRepositoryUrl,
  isOnDisk,
  remoteEndpoint,
  withoutCredentials,
} from '../../../src/source/git/repository-url.ts'
import { isScpForm } from '../../../src/source/page-address.ts'

test('accepts URLs of transports that run no command, paths and scp forms', () => {
  const good = [
    'https://x.org/a.git',
    'ssh://git@x.org:22/a',
    'git@x.org:a/b',
    '/srv/a b.git',
    'file:///srv/a',
    'git+ssh://x.org/a',
    '[::1]:a',
  ]
  for (const url of good) expect(() => checkRepositoryUrl(url)).not.toThrow()
})

test('rejects text that git could read as an option or a command', () => {
  const bad = [
    '--upload-pack=sh',
    'ext::sh -c id',
    'fd::1',
    'https://-oProxy/a',
    '-x@x.org:a',
    'ssh://-oProxyCommand=id/a',
    'https://x.org/a\nb',
    '/srv/a\0b',
    'ftp://x.org/a',
    'name',
    './here',
    '',
  ]
  for (const url of bad) expect(() => checkRepositoryUrl(url)).toThrow('as a git repository')
})

test('recognises local repositories and scp forms', () => {
  expect(['/a', 'file:///a', 'FILE:a', 'a', 'https://x.org/a'].filter(isOnDisk)).toEqual([
    '/a',
    'file:///a',
    'FILE:a',
  ])
  expect(['x.org:a', 'u@x:a', 'https://x', 'a/b:c', 'x: a', 'x:'].filter(isScpForm)).toEqual([
    'x.org:a',
    'u@x:a',
  ])
})

test('returns the host of a URL of any transport', () => {
  const place = (url: string) => {
    const found = remoteEndpoint(url)
    return found && `${found.protocol}//${found.hostname}:${found.port}`
  }
  expect(place('git@x.org:a')).toBe('ssh://x.org:')
  expect(place('ssh://0x7f.1:2222/a')).toBe('ssh://127.0.0.1:2222')
  expect(place('git://2130706433/a')).toBe('git://127.0.0.1:')
  expect(place('/srv/a')).toBe(null)
  expect(place('https://')).toBe(null)
})

test('removes passwords and tokens from a URL', () => {
  expect(withoutCredentials('https://user:secret@x.org/a@b')).toBe('https://x.org/a@b')
  expect(withoutCredentials('https://token@x.org/a')).toBe('https://x.org/a')
  expect(withoutCredentials('ssh://git:secret@x.org/a')).toBe('ssh://x.org/a')
  expect(withoutCredentials('ssh://git@x.org/a')).toBe('ssh://git@x.org/a')
})
