import { afterEach, beforeEach, expect, test } from 'bun:test'
import { chmodSync, chownSync, lchownSync, mkdirSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder, type TempFolder } from '../../../src/platform/file/files.ts'
import { isOwn, whyUnsafe } from '../../../src/platform/file/safe-folder.ts'
import { testWhere } from '../../support/where.ts'

const lackOfRoot = process.getuid?.() === 0 ? null : 'only root can give a file to another user'

let temp: TempFolder
beforeEach(async () => void (temp = await createTempFolder("og safe 'ü")))
afterEach(async () => temp[Symbol.asyncDispose]())

/** Makes folders below the temporary one, with these rights. */
function folders(modes: Record<string, number>): void {
  for (const [path, mode] of Object.entries(modes)) {
    mkdirSync(join(temp.path, path), { recursive: true })
    chmodSync(join(temp.path, path), mode)
  }
}

/** `DIR` stands for the temporary folder. */
function check(path: string, expected: string | null): void {
  const why = whyUnsafe(join(temp.path, path))
  expect(why?.replaceAll(temp.path, 'DIR') ?? null).toBe(expected)
}

test('a folder of this user alone is safe, and so is one that is not there yet', () => {
  folders({ a: 0o755, 'a/b': 0o700 })
  check('a/b', null)
  check('a/b/not/yet', null)
})

test('whoever may write to it, or to a folder above it, is named by the folder', () => {
  folders({ all: 0o777, 'all/mine': 0o700, group: 0o775, 'group/mine': 0o700 })
  for (const name of ['all', 'group']) {
    for (const path of [name, `${name}/mine`, `${name}/mine/new`, `${name}/new`]) {
      check(path, `others may write to DIR/${name}`)
    }
  }
})

test('sticky protects what is in a folder, not the folder', () => {
  folders({ sticky: 0o1777, 'sticky/mine': 0o700 })
  check('sticky/mine', null)
  check('sticky/new', null)
  check('sticky', 'others may write to DIR/sticky')
})

test('links are followed, and what they lead through is judged', () => {
  folders({ open: 0o777, 'open/mine': 0o700, safe: 0o700, 'safe/in': 0o700 })
  symlinkSync(join(temp.path, 'open', 'mine'), join(temp.path, 'safe', 'absolute'))
  symlinkSync('../open/mine', join(temp.path, 'safe', 'relative'))
  symlinkSync('in', join(temp.path, 'safe', 'good'))
  symlinkSync('turn', join(temp.path, 'safe', 'turn'))
  check('safe/absolute', 'others may write to DIR/open')
  check('safe/relative/cache', 'others may write to DIR/open')
  check('safe/good/cache', null)
  check('safe/turn', 'too many links lead to DIR/safe/turn')
})

testWhere(lackOfRoot)('what another user owns is not safe, nor his link', () => {
  folders({ his: 0o755, 'his/mine': 0o700, sticky: 0o1777, mine: 0o700 })
  symlinkSync('../mine', join(temp.path, 'sticky', 'link'))
  lchownSync(join(temp.path, 'sticky', 'link'), 65534, 65534)
  chownSync(join(temp.path, 'his'), 65534, 65534)
  check('his', 'DIR/his belongs to user 65534')
  check('his/mine', 'DIR/his belongs to user 65534')
  check('sticky/link', 'DIR/sticky/link belongs to user 65534')
  expect(isOwn(statSync(join(temp.path, 'his')))).toBe(false)
})

test('own means that nobody else may write', () => {
  const uid = process.getuid!()
  expect(isOwn({ uid, mode: 0o100755 })).toBe(true)
  expect(isOwn({ uid: 0, mode: 0o100644 })).toBe(true)
  expect(isOwn({ uid, mode: 0o100775 })).toBe(false)
  expect(isOwn({ uid, mode: 0o100646 })).toBe(false)
  expect(isOwn({ uid: uid + 1, mode: 0o100600 })).toBe(false)
})
