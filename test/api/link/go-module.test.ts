import { expect, test } from 'bun:test'
import { outlineGo } from '../../../src/api/go/go.ts'
import { resolveGoPackages } from '../../../src/api/link/go-module.ts'

const link = (files: Record<string, string>) =>
  resolveGoPackages(
    new Map(Object.entries(files).map(([path, text]) => [path, outlineGo(text)])),
    (path) => `top/${path}`,
  )

test('merges the files of a folder, and adds methods to their type', () => {
  const modules = link({
    'a.go': 'package lamp\ntype Wick struct{}\ntype Mm int\n',
    'doc.go': '// Package lamp lights.\npackage lamp\n',
    'b.go': 'package lamp\nfunc (w *Wick) Trim() {}\nfunc (m Mm) Inch() {}\nfunc On() {}\n',
    'a_test.go': 'package lamp\nfunc TestA() {}\n',
    'internal/x.go': 'package internal\nfunc X() {}\n',
    'tool/main.go': 'package main\nfunc Run() {}\n',
    'oil/oil.go': 'package oil\nfunc Burn() {}\n',
  })
  expect(modules.map(({ name, path, documentation }) => [name, path, documentation])).toEqual([
    ['lamp', 'top/doc.go', 'Package lamp lights.'],
    ['oil', 'top/oil/oil.go', ''],
  ])
  const names = modules[0]!.symbols.flatMap(({ symbol, path }) => [
    `${symbol.kind} ${symbol.qualifiedName} ${path}`,
    ...symbol.members.map((it) => it.qualifiedName),
  ])
  expect(names).toEqual([
    'class lamp.Wick top/a.go',
    'lamp.Wick.Trim',
    'class lamp.Mm top/a.go',
    'lamp.Mm.Inch',
    'function lamp.On top/b.go',
  ])
})

test('tells packages with the same name apart by their folders', () => {
  const modules = link({ 'a/v1/x.go': 'package v1\n', 'b/v1/x.go': 'package v1\n' })
  expect(modules.map(({ name }) => name)).toEqual(['a/v1', 'b/v1'])
})
