import { expect, test } from 'bun:test'
import { pythonFinder } from '../../src/api/find-python.ts'
import { fileReader } from '../support/page/file-reader.ts'

const files: Record<string, string> = {
  'src/tool/__init__.py':
    '"""The tool.\n\n.. autosummary::\n"""\nfrom ._lamp import Lamp as Light\nfrom . import io\nfrom .star import *\n__all__ = ["Light", "shine"]\n',
  'src/tool/_lamp.py':
    'from .base import Base\nclass Lamp(Base):\n    """A lamp."""\n    def on(self): ...\n',
  'src/tool/base.py': 'class Base:\n    def off(self, slowly=False):\n        """Turns off."""\n',
  'src/tool/star.py': 'def shine(): ...\n',
  'src/tool/io.py': 'def read(path: str) -> bytes: ...\n',
  'space/part/__init__.py': 'x = 1\n',
  'loop/__init__.py': 'from .a import b\nclass C(C.D): ...\n',
  'loop/a.py': 'from . import b\n',
}

const read = fileReader(files)
const reads: string[] = []
const finder = () =>
  pythonFinder(
    async (path) => {
      reads.push(path)
      return read(path)
    },
    ['', 'src'],
  )
const signature = async (name: string) => (await finder()(name))?.symbol.signature ?? null

test('follows re-exports, renamed imports and star imports to the declaration', async () => {
  expect(await signature('tool.Light')).toBe('class Lamp(Base)')
  expect(await signature('tool.Light.on')).toBe('def on()')
  expect(await signature('tool.shine')).toBe('def shine()')
  expect(await signature('tool.io.read')).toBe('def read(path: str) -> bytes')
  expect(await signature('space.part.x')).toBe('x = 1')
})

test('names an object and its members by the requested alias', async () => {
  const found = await finder()('tool.Light')
  expect(found!.symbol.qualifiedName).toBe('tool.Light')
  expect(found!.symbol.members.map((it) => it.qualifiedName)).toEqual(['tool.Light.on'])
  expect(found!.inherited.map((it) => it.qualifiedName)).toEqual(['tool.Light.off'])
})

test('finds a member that a base class declares', async () => {
  expect(await signature('tool.Light.off')).toBe('def off(slowly=False)')
})

test('returns the public names of a module and its docstring as written', async () => {
  const found = await finder()('tool')
  expect(found!.symbol.members.map((it) => it.qualifiedName)).toEqual(['tool.Light', 'tool.shine'])
  expect(found!.docstring).toBe('The tool.\n\n.. autosummary::\n')
})

test('returns null for unreachable or malformed names and for circular imports', async () => {
  for (const name of ['other.x', 'tool.missing', '', 'a..b', '../x', 'loop.b', 'loop.C.D']) {
    expect(await finder()(name)).toBeNull()
  }
  expect(reads.every((path) => !path.includes('..'))).toBe(true)
})

test('reads a limited number of files', async () => {
  reads.length = 0
  const find = finder()
  for (let at = 0; at < 3000; at++) await find(`tool.missing${at}`)
  expect(reads.length).toBeLessThan(5100)
})

test('looks up a missing package once, however many of its names a page has', async () => {
  const readsOf = async (nNames: number) => {
    reads.length = 0
    const find = finder()
    for (let at = 0; at < nNames; at++) {
      expect(await find(`absent.part${at}.Name${at}`)).toBeNull()
    }
    return reads.length
  }
  expect(await readsOf(400)).toBe(await readsOf(1))
})
