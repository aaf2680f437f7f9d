import { expect, test } from 'bun:test'
import { withoutEditorMarks } from '../../../src/formats/markdown/editor-marks.ts'
import { usedCpuMs } from '../../support/pages/cpu-time.ts'

function check(source: string, expected: string): void {
  expect(withoutEditorMarks(source)).toBe(expected)
}

test('keeps the added code of Svelte and drops the removed code', () => {
  check('```js\nlet a = +++$state(0)+++;\n```', '```js\nlet a = $state(0);\n```')
  check(
    '```svelte\n---export let a;---\n+++let { a } = $props();+++\nb\n```',
    '```svelte\nlet { a } = $props();\nb\n```',
  )
  check(
    '```svelte\n<b on---:---click={---go---+++run+++}>\n```',
    '```svelte\n<b onclick={run}>\n```',
  )
  check('```js\n---a\nb---\n+++\tc\n\td+++\n```', '```js\n\tc\n\td\n```')
})

test('removes comments that only highlight lines, and the cache of Twoslash', () => {
  check('```js\nf() // [!code focus]\n```', '```js\nf()\n```')
  check('```vue\n<a> <!-- [!code hl:3] -->\n```', '```vue\n<a>\n```')
  check('```py\nf() # [!code word:f]\n```', '```py\nf()\n```')
  check('```js\nf() // [!code ++]\n```', '```js\nf() // [!code ++]\n```')
  check('```ts twoslash\n// @twoslash-cache: {"v":2}\nf()\n```', '```ts twoslash\nf()\n```')
})

test('keeps horizontal rules, TOML, diffs and tables unchanged', () => {
  for (const code of [
    '+++\ntitle = "x"\n+++\ntext',
    '--- a/x\n+++ b/x\n@@',
    '---\na: b\n---',
    '|---|---|',
  ]) {
    check(`\`\`\`text\n${code}\n\`\`\``, `\`\`\`text\n${code}\n\`\`\``)
  }
  check('+++a+++ and ---b--- in prose', '+++a+++ and ---b--- in prose')
})

test('drops the directives of Twoslash and the code before its cut', () => {
  check(
    '```ts\n// @errors: 2322\nimport x\n// ---cut---\nx()\n```\nafter',
    '```ts\nx()\n```\nafter',
  )
  check('```ts\na\n// ---cut-after---\nb\n```', '```ts\na\n```')
  check('```ts\na\n// ---cut-start---\nb\n// ---cut-end---\nc\n```', '```ts\na\nc\n```')
})

test('drops the comments that highlight lines', () => {
  check(
    '```js\n// highlight-next-line\nlet a\n  {/* highlight-end */}\nb // highlight-start\n```',
    '```js\nlet a\nb // highlight-start\n```',
  )
  const markdown = '```md\n<!-- highlight-start -->\n```'
  check(markdown, markdown)
})

test('drops the options and questions of Twoslash, but not of other code', () => {
  const code =
    '// @strict: false\n// @noErrors\n// @filename: a.ts\nlet a = 1\n//  ^?\nf() // @x: y'
  check(
    `\`\`\`ts twoslash\n${code}\n\`\`\``,
    '```ts twoslash\n// @filename: a.ts\nlet a = 1\nf() // @x: y\n```',
  )
  const plain = '```ts\n// @strict: false\nlet a = 1\n//  ^? number\n//  ^?\n```'
  check(plain, plain)
})

test('shows the file name of a sample as a comment', () => {
  check('```js\n/// file: a.js\nx\n```', '```js\n// a.js\nx\n```')
  check(
    '```svelte\n<!--- file: A.svelte --->\n<!--- copy: false --->\nx\n```',
    '```svelte\n<!-- A.svelte -->\nx\n```',
  )
})

test('takes linear time for hostile marks', () => {
  const started = usedCpuMs()
  for (const piece of ['+++a', '---a', '---a\n', '+++ \n', '// ---cut---\n']) {
    withoutEditorMarks(`\`\`\`js\n${piece.repeat(20_000)}\n\`\`\``)
  }
  expect(usedCpuMs() - started).toBeLessThan(2000)
})
