import { expect, test } from 'bun:test'
import { runTemplate } from '../../../src/sites/hugo/template.ts'

const parameters: Record<string, string> = { tag: 'v1.2.3', 'a.b': 'x' }
const run = (template: string, ...args: string[]) =>
  runTemplate(template, {
    args: new Map(args.map((arg, at) => [String(at), arg])),
    parameter: (name) => parameters[name],
  })

test('runs templates of text and plain functions', () => {
  expect(run('{{ substr ($.Page.Param (.Get 0)) (.Get 1) }}', 'tag', '1')).toBe('1.2.3')
  expect(run('v{{ .Get 0 | upper }}-{{ site.Params.a.b }}\n', 'b')).toBe('vB-x')
  expect(run('{{- printf "%s of %s" (.Get 0) "y" -}}', 'z')).toBe('z of y')
  expect(run('{{ .Get 0 | default "none" }}')).toBe('none')
})

test('rejects templates with markup, conditions, unknown functions and unknown values', () => {
  for (const template of [
    '<b>{{ .Get 0 }}</b>',
    '{{ if .Get 0 }}a{{ end }}',
    '{{ readFile "x" }}',
    '{{ .Param "none" }}',
  ]) {
    expect(run(template, 'a')).toBeNull()
  }
})
