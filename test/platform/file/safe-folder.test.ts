import { expect, test } from 'bun:test'
import { chmodSync, chownSync, lchownSync, mkdirSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { isOnlyWritableByUser, whyUnsafe } from '../../../src/platform/file/safe-folder.ts'
import { testWhere } from '../../support/where.ts'
import { openEach } from '../../support/run/dispose.ts'

const lackOfRoot = process.getuid?.() === 0 ? null : 'only root can give a file to another user'

const temp = openEach(() => createTempFolder("og safe 'ü"))

/** Creates folders with these modes in the temporary folder. */
function folders(modes: Record<string, number>): void {
  for (const [path, mode] of Object.entries(modes)) {
    mkdirSync(join(temp().path, path), { recursive: true })
    chmodSync(join(temp().path, path), mode)
  }
}

/** `DIR` is replaced by the temporary folder. */
function check(path: string, expected: string | null): void {
  const why = whyUnsafe(join(temp().path, path))
  expect(why?.replaceAll(temp().path, 'DIR') ?? null).toBe(expected)
}

test('accepts a folder that only this user may write to, and a missing folder', () => {
  folders({ a: 0o755, 'a/b': 0o700 })
  check('a/b', null)
  check('a/b/not/yet', null)
})

test('reports the folder if other users may write to it or to a folder above it', () => {
  folders({ all: 0o777, 'all/mine': 0o700, group: 0o775, 'group/mine': 0o700 })
  for (const name of ['all', 'group']) {
    for (const path of [name, `${name}/mine`, `${name}/mine/new`, `${name}/new`]) {
      check(path, `others may write to DIR/${name}`)
    }
  }
})

test('accepts a sticky folder above, but not the sticky folder itself', () => {
  folders({ sticky: 0o1777, 'sticky/mine': 0o700 })
  check('sticky/mine', null)
  check('sticky/new', null)
  check('sticky', 'others may write to DIR/sticky')
})

test('follows links and checks their targets', () => {
  folders({ open: 0o777, 'open/mine': 0o700, safe: 0o700, 'safe/in': 0o700 })
  symlinkSync(join(temp().path, 'open', 'mine'), join(temp().path, 'safe', 'absolute'))
  symlinkSync('../open/mine', join(temp().path, 'safe', 'relative'))
  symlinkSync('in', join(temp().path, 'safe', 'good'))
  symlinkSync('turn', join(temp().path, 'safe', 'turn'))
  check('safe/absolute', 'others may write to DIR/open')
  check('safe/relative/cache', 'others may write to DIR/open')
  check('safe/good/cache', null)
  check('safe/turn', 'too many links lead to DIR/safe/turn')
})

testWhere(lackOfRoot)('rejects a folder or link of another user', () => {
  folders({ his: 0o755, 'his/mine': 0o700, sticky: 0o1777, mine: 0o700 })
  symlinkSync('../mine', join(temp().path, 'sticky', 'link'))
  lchownSync(join(temp().path, 'sticky', 'link'), 65534, 65534)
  chownSync(join(temp().path, 'his'), 65534, 65534)
  check('his', 'DIR/his belongs to user 65534')
  check('his/mine', 'DIR/his belongs to user 65534')
  check('sticky/link', 'DIR/sticky/link belongs to user 65534')
  expect(isOnlyWritableByUser(statSync(join(temp().path, 'his')))).toBe(false)
})

test('accepts a file only if no other user may write to it', () => {
  const uid = process.getuid!()
  expect(isOnlyWritableByUser({ uid, mode: 0o100755 })).toBe(true)
  expect(isOnlyWritableByUser({ uid: 0, mode: 0o100644 })).toBe(true)
  expect(isOnlyWritableByUser({ uid, mode: 0o100775 })).toBe(false)
  expect(isOnlyWritableByUser({ uid, mode: 0o100646 })).toBe(false)
  expect(isOnlyWritableByUser({ uid: uid + 1, mode: 0o100600 })).toBe(false)
})
