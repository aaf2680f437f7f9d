import { expect, test } from 'bun:test'
import { apiPackages, openApiLookup } from '../../src/references/api-lookup.ts'
import { fileReader } from '../support/page/file-reader.ts'

const files: Record<string, string> = { 'lib/tool/__init__.py': 'def on(): ...\n' }
const read = fileReader(files)

test('finds the names that a page asks for, and distinguishes unread files from unknown names', async () => {
  const lookup = openApiLookup({ from: 'docs/a/b.rst', read }, [])
  expect(lookup.find(['x.on', 'tool.on'])).toBeUndefined()
  expect(lookup.find(['tool.off'])).toBeUndefined()
  expect(await lookup.resolve()).toBe(true)
  expect(lookup.find(['x.on', 'tool.on'])!.symbol.qualifiedName).toBe('tool.on')
  expect(lookup.find(['tool.off'])).toBeNull()
  expect(await lookup.resolve()).toBe(false)
})

test('reads the docstrings of a Julia project when a page asks for them', async () => {
  const julia = fileReader({ 'src/Tool.jl': '"Turns on."\nfunction on() end\n' })
  const lookup = openApiLookup({ from: 'docs/a.md', read: julia }, [])
  expect(lookup.julia()).toBeUndefined()
  expect(await lookup.resolve()).toBe(true)
  expect(lookup.julia()!.named('on')[0]!.text).toContain('Turns on.')
  expect(await lookup.resolve()).toBe(false)
  const none = openApiLookup({ from: 'docs/a.md', read }, [])
  none.julia()
  await none.resolve()
  expect(none.julia()).toBeNull()
})

test('lists the packages whose source files a page needs', () => {
  expect(apiPackages('::: tool.Lamp\n\n::: other.x\n')).toEqual(['tool', 'other'])
  expect(apiPackages('.. currentmodule:: tool.io\n\n.. autofunction:: read\n')).toEqual([
    'tool',
    'read',
  ])
  expect(apiPackages('.. autosummary::\n\n   ~tool.on\n')).toEqual(['tool'])
  expect(apiPackages('```{autoclass} tool.Lamp\n```\n')).toEqual(['tool'])
  expect(apiPackages('::: note\n\nText\n')).toEqual(['note'])
  expect(apiPackages('.. module:: tool\n')).toEqual([])
  expect(apiPackages('```@autodocs\nModules = [A]\n```\n')).toEqual(['*.jl'])
})
