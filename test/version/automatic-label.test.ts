import { expect, test } from 'bun:test'
import { isAutomaticLabel } from '../../src/version/automatic-label.ts'
import type { Source } from '../../src/store/source.ts'

test('follows a folder unless a user chose the label or it came from a pack', () => {
  const source: Source = { kind: 'local_path', path: '/a' }
  const archive: Source = { kind: 'archive', url: '/a.zip', docsPaths: [] }
  const git: Source = { kind: 'git_repo', url: 'https://x.org/a', docsPaths: [] }
  expect(isAutomaticLabel({ version: 'local-2026-01-31', source })).toBe(true)
  expect(isAutomaticLabel({ version: 'local-2026-01-31', source: archive })).toBe(true)
  expect(isAutomaticLabel({ version: '1.0', source, ref: null, commit: null })).toBe(false)
  const commit = 'a'.repeat(40)
  expect(isAutomaticLabel({ version: 'v1', source, ref: null, commit })).toBe(true)
  expect(isAutomaticLabel({ version: 'v1', source, ref: 'v1', commit })).toBe(false)
  expect(isAutomaticLabel({ version: 'latest', source: git, ref: 'main', commit })).toBe(false)
  expect(isAutomaticLabel({ version: 'v1', source, ref: null, commit, pack: 'a.ogpack' })).toBe(
    false,
  )
})
