import { expect, test } from 'bun:test'
import { loadGrammar } from '../../../src/api/grammar/grammar.ts'
import { resolveJavaPackages } from '../../../src/api/link/java-module.ts'

const outlineJava = await loadGrammar('java')
const link = (files: Record<string, string>) =>
  resolveJavaPackages(
    new Map(Object.entries(files).map(([path, text]) => [path, outlineJava(text)])),
    (path) => `top/${path}`,
  )

test('groups public types by package and lets them inherit from hidden types', () => {
  const modules = link({
    'a/package-info.java': '/** Lamps. */ package a;',
    'a/Lamp.java': 'package a; public class Lamp extends Base { public void on() {} }',
    'a/Base.java':
      'package a; class Base extends Root { public void on() {} public void off() {} }',
    'a/Root.java': 'package a; class Root { Root() {} protected void oil() {} void hidden() {} }',
    'a/internal/X.java': 'package a.internal; public class X {}',
  })
  expect(modules.map(({ name, path, documentation }) => [name, path, documentation])).toEqual([
    ['a', 'top/a/package-info.java', 'Lamps.'],
  ])
  const [{ symbol, path }] = modules[0]!.symbols as [(typeof modules)[0]['symbols'][0]]
  expect([symbol.qualifiedName, path]).toEqual(['a.Lamp', 'top/a/Lamp.java'])
  expect(symbol.members.map((it) => it.qualifiedName)).toEqual([
    'a.Lamp.on',
    'a.Lamp.off',
    'a.Lamp.oil',
  ])
})
