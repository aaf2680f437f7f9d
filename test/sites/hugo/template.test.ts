import { expect, test } from 'bun:test'
import { runTemplate } from '../../../src/sites/hugo/template.ts'

const parameters: Record<string, string> = { tag: 'v1.2.3', 'a.b': 'x' }
const files: Record<string, string> = {
  'data/tools/2-1.yaml':
    'tools:\n  - name: on\n    flags:\n      - name: fast\n        usage: Be *fast*\n        short: f\n      - name: dry\n    example: "  tool on"\n',
  'data/list.yaml': '- a\n- b\n',
  'layouts/partials/tools.html':
    '{{ $file := replace "2.1" "." "-" }}{{ return index site.Data.tools $file }}',
  'layouts/_partials/box.html':
    '{{- /* A box */}}<div class="b">\n  {{ with .title }}<h4>{{ partial "icon" . }}{{ . }}</h4>{{ end }}\n  {{ .content }}</div>',
}
const run = (template: string, ...args: string[]) =>
  runTemplate(template, {
    args: new Map(args.map((arg, at) => [String(at), arg])),
    section: 'docs',
    inner: '',
    parameter: (name) => parameters[name],
    read: async (path) => files[path] ?? null,
  })

const check = async (template: string, expected: string | null, ...args: string[]) =>
  expect((await run(template, ...args))?.trim() ?? null).toBe(expected)

test('runs templates of text and plain functions', async () => {
  await check('{{ substr ($.Page.Param (.Get 0)) (.Get 1) }}', '1.2.3', 'tag', '1')
  await check('v{{ .Get 0 | upper }}-{{ site.Params.a.b }}\n', 'vB-x', 'b')
  await check('{{- printf "%s of %s" (.Get 0) "y" -}}', 'z of y', 'z')
  await check('{{ .Get 0 | default "none" }}', 'none')
  await check('{{ cond (eq .Page.Section "docs") "a" "b" }}{{ len (slice 1 2) }}', 'a2')
})

test('runs conditions, assignments and loops over data files', async () => {
  const flags =
    '{{ $data := partial "tools" . }}{{ range where $data.tools "name" (.Get 0) }}<table>\n' +
    '  {{ range where .flags "name" "!=" "dry" }}<tr><td><code>--{{ .name }}</code>\n' +
    '    {{ with .short }}<br><code>-{{ . }}</code>{{ end }}</td><td>{{ .usage | markdownify }}</td></tr>{{ end }}\n' +
    '</table>{{ with .example }}{{ highlight (replaceRE "(?m)^[ ]{2}" "" .) "sh" }}{{ end }}{{ end }}'
  await check(
    flags,
    '<table>\n<tr><td><code>--fast</code>\n<br><code>-f</code></td><td>Be *fast*</td></tr>\n</table>\n\n\n```sh\ntool on\n```',
    'on',
  )
  await check('{{ if eq (.Get 0) "a" }}1{{ else if .Get 1 }}2{{ else }}3{{ end }}', '2', 'b', 'c')
  await check('{{ range $at, $it := hugo.Data.list }}{{ $at }}{{ $it }} {{ end }}', '0a 1b')
  await check('{{ $x := 1 }}{{ if true }}{{ $x = 2 }}{{ end }}{{ $x }}', '2')
})

test('runs partials with a dictionary', () =>
  check(
    '{{ partial "box" (dict "title" "Mind" "content" (.Get 0)) }}',
    '<div class="b">\n<h4>Mind</h4>\nit</div>',
    'it',
  ))

test('rejects templates with unknown functions, fields and values', async () => {
  for (const template of [
    '{{ readFile "x" }}',
    '{{ .Param "none" }}',
    '{{ range .Page.Pages }}{{ .Title }}{{ end }}',
    '{{ partial "gone" . }}',
    '{{ replaceRE "(a+)+" "" "aaaa" }}',
    '{{ site.Data.gone }}',
    '{{ if .Get 0 }}a',
    '{{ template "x" }}',
  ]) {
    expect(await run(template, 'a')).toBeNull()
  }
})

test('stops after a bounded number of actions', async () => {
  const many = `{{ range slice ${'1 '.repeat(200)}}}{{ range slice ${'1 '.repeat(200)}}}x{{ . }}{{ end }}{{ end }}`
  expect(await run(many)).toBeNull()
})
