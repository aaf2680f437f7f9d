import { expect, test } from 'bun:test'
import { hasPortableNotes, publicSource } from '../../../src/library/pack/packed-source.ts'
import type { Source } from '../../../src/store/source.ts'

test('removes passwords and local paths', () => {
  check('https://u:p@example.org/a.git', 'https://example.org/a.git')
  check('git@example.org:a.git', 'git@example.org:a.git')
  check('ssh://git@example.org/a.git', 'ssh://git@example.org/a.git')
  check('/srv/me/secret-project/docs.bundle', 'docs.bundle')
  check('file:///srv/me/docs/', 'docs')
  const site = { kind: 'web_page', url: 'https://u:p@example.org/?token=abc' } as const
  expect(publicSource(site)).toEqual({ kind: 'web_page', url: 'https://example.org/?token=***' })
  const folder = { kind: 'local_path', path: '/srv/me/docs' } as const
  expect(publicSource(folder)).toEqual({ kind: 'local_path', path: 'docs' })
  expect([hasPortableNotes(folder), hasPortableNotes(site)]).toEqual([false, true])
  const archive = { kind: 'archive', url: '/srv/me/docs.zip', docsPaths: [] } as const
  expect(hasPortableNotes(archive as unknown as Source)).toBe(false)
})

function check(url: string, expected: string): void {
  const source: Source = { kind: 'git_repo', url, docsPaths: ['docs'] }
  expect(publicSource(source)).toEqual({ ...source, url: expected })
}
