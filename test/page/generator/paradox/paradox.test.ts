import { expect, test } from 'bun:test'
import { paradoxToMarkdown } from '../../../../src/page/generator/paradox/paradox-text.ts'
import { paradox } from '../../../../src/page/generator/paradox/paradox.ts'
import { siteText, type SiteSource } from '../../../support/page/site-pages.ts'
import { usedCpuMs } from '../../../support/pages/cpu-time.ts'

const source: SiteSource = {
  generator: 'paradox',
  config: 'docs/src/main/paradox/index.md',
  root: 'docs/src/main/paradox',
  files: {
    'docs/src/main/paradox/index.md': '# Start\n',
    'docs/src/main/paradox/part.md': '<!-- #old -->\nUse the new API.\n<!-- #old -->\nother\n',
    'docs/src/b.conf': 'include x #a\na = 1\n# //#a ---\n# #b\nb = 2\n# #b\n# #12 is open\n',
    'docs/src/a.conf': '# //#limits\nsize = 4\n# //#limits\nname = x\n',
    'docs/src/test/scala/A.scala':
      'package a\n  // #run\n  val a = 1\n  // #stop\n  // #run\nval b = 2\n// #stop\n',
  },
}
const check = async (text: string, expected: string) =>
  expect((await siteText(source, text, 'docs/src/main/paradox/a.md')).trim()).toBe(expected)

test('is recognised by the index page in src/main/paradox', () => {
  expect(paradox.rootOf('docs/src/main/paradox/index.md')).toBe('docs/src/main/paradox')
  expect(paradox.rootOf('docs/src/main/paradox/a/index.md')).toBeNull()
})

test('shows the code between two labels, in tabs too', async () => {
  const fence = '```scala\nval a = 1\n```'
  await check('@@snip [A.scala](/docs/src/test/scala/A.scala) { #run }', fence)
  await check(
    '@@snip [A.scala](/docs/src/test/scala/A.scala) {\n  #run\n}\n\nText',
    `${fence}\n\nText`,
  )
  const tab = 'Scala\n:  @@snip [A.scala](/docs/src/test/scala/A.scala) { #run }\n\nText'
  await check(tab, `Scala\n\n${fence}\n\nText`)
  await check(
    '@@snip [A.scala](/docs/src/test/scala/A.scala) { #none }',
    '(The file /docs/src/test/scala/A.scala lacks the part that the site shows here.)',
  )
})

test('reads labels behind two comment marks', () =>
  check('@@snip [a.conf](/docs/src/a.conf) { #limits }', '```conf\nsize = 4\n```'))

test('reads labels at the ends of lines, and shows the parts in the order of the labels', async () => {
  const snip = (labels: string) => `@@snip [b.conf](/docs/src/b.conf) { ${labels} }`
  await check(snip('#b #a'), '```conf\nb = 2\na = 1\n```')
  await check(snip(''), '```conf\ninclude x #a\na = 1\nb = 2\n# #12 is open\n```')
})

test('includes a labelled part of a page', () =>
  check('@@include[part.md](part.md) { #old }', 'Use the new API.'))

test('moves the code of a tab to the margin', () =>
  check('Java\n:   ```java\n    int a;\n    ```', 'Java\n\n```java\nint a;\n```'))

test('shows notes and hides indexes and boxes', async () => {
  await check('@@@ note { title="Java 17" }\n\nText\n\n@@@', '**Java 17**\n\n\nText')
  await check('@@@div { .callout }\nText\n@@@\n@@@ index\n* [a](a.md)\n@@@\n@@toc', 'Text')
})

test('shows dependencies in the syntax of sbt', () =>
  check(
    '@@dependency[sbt,Maven] {\n  group=org.x\n  artifact=a_$scala.binary.version$\n' +
      '  version=XVersion\n  group2=org.x\n  artifact2=b\n  version2="1.0"\n  scope2=test\n}',
    '```sbt\nlibraryDependencies += "org.x" %% "a" % XVersion\n' +
      'libraryDependencies += "org.x" % "b" % "1.0" % "test"\n```',
  ))

test('shows dependencies that are all numbered, and keeps those it cannot read', async () => {
  const sbt = '```sbt\nlibraryDependencies += "x" % "b" % "1"\n```'
  await check('@@dependency[sbt] { group1=x artifact1=b version1=1 }', sbt)
  await check('@@dependency[sbt] { symbol=x }', '@@dependency[sbt] { symbol=x }')
})

test('changes no code', async () => {
  for (const code of ['```text\n: a\n  b\n: c\n```', 'a `@apidoc[Foo]` b', '``@ref[x](y.md)``']) {
    await check(code, code)
  }
})

test('shows the text after an unclosed index', () =>
  check('@@@ index\n* [a](a.md)\n\n## Next\nText', '## Next\nText'))

test('converts inline directives and keeps those in code', async () => {
  await check('See @ref:[Actors](../a.md).', 'See [Actors](../a.md).')
  await check(
    'an @apidoc[typed.ActorRef] and @apidoc[of](x.*.B$) {java="#a()"}.',
    'an `ActorRef` and `of`.',
  )
  await check('the @scala[`a` trait]@java[`b`]', 'the `a` trait (Java: `b`)')
  await check('x@java[.]@scala[, @scaladoc[!](a.B#c(d)) y.]', 'x, `!` y.')
  await check('```scala\n@scala[x]\n```', '```scala\n@scala[x]\n```')
})

test('reads unclosed directives in linear time', () => {
  const start = usedCpuMs()
  for (const text of [
    '@scala['.repeat(20_000),
    '@@dependency[x]{\n'.repeat(20_000),
    `@@dependency{ ${'a'.repeat(200_000)}}`,
  ]) {
    expect(paradoxToMarkdown(text)).toBe(text)
  }
  expect(usedCpuMs() - start).toBeLessThan(5_000)
})
