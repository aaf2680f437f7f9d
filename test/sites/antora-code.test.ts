import { expect, test } from 'bun:test'
import { antoraCodeInclude } from '../../src/sites/antora.ts'
import { pageSiteOf, readSite } from '../../src/sites/generators.ts'
import { fileReader } from '../support/page/file-reader.ts'
import { parsePage } from '../../src/page/parse.ts'

const java = `/*
 * Copyright
 */

package x.docs.features;

import y.Z;

@SuppressWarnings("unused")
public class MyBean {
  // tag::main[]
  int a;
  // end::main[]
  int b;
}
`
const files: Record<string, string> = {
  'code/src/main/java/x/docs/features/externalconfig/MyBean.java': java,
  'code/src/main/kotlin/x/docs/features/externalconfig/MyBean.kt': 'package x\n\nclass MyBean\n',
  'code/src/main/java/x/docs/web/page/Example.java': 'class Example {}\n',
  'code/src/main/java/x/docs/web/mypart/Thing.java': 'class Thing {}\n',
}

async function shown(text: string): Promise<string> {
  const path = 'docs/modules/ROOT/pages/web/page.adoc'
  const paths = ['code/src/main/java/x/docs', 'code/src/main/kotlin/x/docs']
  const config = {
    generator: 'antora',
    path: 'docs/antora.yml',
    root: 'docs',
    text: 'name: x',
  } as const
  const site = pageSiteOf((await readSite({ ...config, paths }, async () => null))!, path)
  const read = fileReader(files)
  const page = await parsePage(
    { bytes: Buffer.from(text), path, url: 'x:/', site },
    { from: path, read },
  )
  return page.text.replace(/\n+/g, '|')
}

const section = '[[features.external-config]]\n== Config\n\n'

test('shows the code of a section in a listing for each language', async () => {
  expect(await shown(`${section}include-code::MyBean[]\n`)).toBe(
    '## Config|**Java**|```java|import y.Z;|public class MyBean {|  int a;|  int b;|}|```|' +
      '**Kotlin**|```kotlin|class MyBean|```|',
  )
})

test('shows only the code of a tag, or all other code', async () => {
  expect(await shown(`${section}include-code::MyBean[tag=main]\n`)).toContain('```java|int a;|```')
  const without = await shown(`${section}include-code::MyBean[tag=!main]\n`)
  expect(without).toContain('int b;')
  expect(without).not.toContain('int a;')
})

test('derives the package from the path of the page', async () => {
  expect(await shown('include-code::./Example[]\n')).toContain('class Example {}')
})

test('finds the package of a section beside the page', async () => {
  expect(await shown('[[my-part]]\n== Part\n\ninclude-code::./Thing[]\n')).toContain(
    'class Thing {}',
  )
})

test('finds a single file of that name elsewhere in the source', async () => {
  expect(await shown('include-code::Thing[]\n')).toContain('class Thing {}')
})

test('reports the missing code file', async () => {
  expect(await shown(`${section}include-code::Gone[]\n`)).toContain(
    '(The source lacks the file features/externalconfig/Gone.java, which the site shows here.)',
  )
})

test('ignores an include in the middle of a line', () => {
  const at = { line: 0, fence: null, formatOf: () => null }
  expect(antoraCodeInclude(['See include-code::X[]'], at)).toBeNull()
})
