import { expect, test } from 'bun:test'
import { parseOrg } from '../../src/formats/org.ts'
import { usedCpuMs } from '../support/pages/cpu-time.ts'

test('converts an Org document to Markdown', () => {
  const { title, text } = parseOrg(`#+TITLE: Kettle
* TODO [#A] Boil water :hot:wet:
:PROPERTIES:
:ID: x
:END:
Use =boil= or ~b~, *now*, /soon/ and [[https://x.y][the site]].
+ item
- term :: meaning
#+begin_src sh :results none
boil
,* star
#+end_src
: fixed
| a | b |
|---+---|
| 1 | 2 |
# comment
#+begin_quote
said
#+end_quote
`)
  expect(title).toBe('Kettle')
  expect(text.replace(/\n{2,}/g, '\n')).toBe(`# Boil water
Use \`boil\` or \`b\`, **now**, *soon* and [the site](https://x.y).
- item
- **term**: meaning
\`\`\`sh
boil
* star
\`\`\`
\`\`\`
fixed
\`\`\`
| a | b |
| --- | --- |
| 1 | 2 |
> said
`)
})

test('keeps paths and arithmetic unchanged', () => {
  expect(parseOrg('a/b/c 2*3*4 x=y=z https://x.y/a/b\n').text).toBe(
    'a/b/c 2*3*4 x=y=z https://x.y/a/b\n',
  )
})

test('takes linear time for hostile text', () => {
  const started = usedCpuMs()
  for (const piece of ['#+begin_src\n', ':A:\n', '[[a][', '=a ', '*a ', '/a ', '* a :b']) {
    parseOrg(piece.repeat(5000))
  }
  expect(usedCpuMs() - started).toBeLessThan(4000)
})

test('takes time proportional to the number of unclosed blocks', () => {
  for (const piece of ['#+BEGIN_SRC x\n', '#+begin_quote\n> \n']) {
    const startedAt = usedCpuMs()
    parseOrg(`${piece.repeat(30_000)}#+end_example\n`)
    expect(usedCpuMs() - startedAt).toBeLessThan(1500)
  }
})

test('removes comments and headlines that Org does not export', () => {
  const { text } = parseOrg('* A\n# b\n** COMMENT C\nc\n*** D\nd\n** E :x:noexport:\ne\n** F\nf\n')
  expect(text).toBe('# A\n\n## F\n\nf\n')
})
