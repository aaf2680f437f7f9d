import { expect, test } from 'bun:test'
import { micronautToAsciidoc } from '../../src/sites/micronaut.ts'
import { sitePage, siteOf, siteText, type SiteSource } from '../support/page/site-pages.ts'

const source: SiteSource = {
  generator: 'micronaut',
  config: 'src/main/docs/guide/toc.yml',
  root: 'src/main/docs/guide',
  files: {
    'src/main/docs/guide/toc.yml':
      'ioc:\n  title: Beans\n  scopes:\n    title: Scopes\n    eager: Eager Beans\n',
    'src/main/docs/guide/ioc/scopes/eager.adoc': 'Text.\n',
    'gradle.properties': 'projectVersion=4.7.1\n',
    'test-suite/src/test/java/io/docs/Kettle.java':
      'package io.docs;\n// tag::imports[]\nimport io.Boil;\n// end::imports[]\n// tag::clazz[]\nclass Kettle {\n}\n// end::clazz[]\n',
    'test-suite/src/test/java/io/docs/Lid.java': '// tag::clazz[]\nclass Lid {}\n// end::clazz[]\n',
    'test-suite-kotlin/src/test/kotlin/io/docs/Kettle.kt':
      '// tag::clazz[]\nclass Kettle\n// end::clazz[]\n',
    'doc-examples/boil-java/src/main/java/example/Boil.java': 'interface Boil {}\n',
  },
}

async function shown(text: string): Promise<string> {
  const markdown = await siteText(source, text, 'src/main/docs/guide/ioc/beans.adoc')
  return markdown.trim().replace(/\n+/g, '|')
}

test('takes titles from the table of contents', async () => {
  const page = await sitePage(source, 'src/main/docs/guide/ioc/scopes/eager.adoc')
  expect(page.title).toBe('Eager Beans')
  const { titles } = await siteOf(source)
  expect([...titles.values()]).toEqual(['Beans', 'Scopes', 'Eager Beans'])
})

test('shows the tagged code of a class in each language', async () => {
  expect(
    await shown(
      'snippet::io.docs.Kettle[tags="imports,clazz", indent=0, title="A [small] kettle"]\n',
    ),
  ).toBe(
    '**A [small] kettle (Java)**|```java|import io.Boil;|class Kettle {|}|```|' +
      '**A [small] kettle (Kotlin)**|```kotlin|class Kettle|```',
  )
  expect(
    await shown('snippet::example.Boil[project-base="doc-examples/boil",source="main"]\n'),
  ).toBe('**Java**|```java|interface Boil {}|```')
})

test('shows several classes of a snippet', async () => {
  const text = await shown('snippet::io.docs.Kettle,io.docs.Lid[tags="clazz"]\n')
  expect(text).toContain('class Kettle {|}')
  expect(text).toContain('class Lid')
})

test('names the class of a snippet that is missing', async () => {
  expect(await shown('snippet::io.docs.Missing[tags="a"]\n')).toContain('io/docs/Missing')
})

test('shows names of types and packages as code', async () => {
  expect(
    await shown(
      'The api:http.HttpRequest[], ann:context.annotation.Bean[], api:a.B[the B] and pkg:io.docs[] at {version}\n',
    ),
  ).toBe('The `HttpRequest`, `@Bean`, the B and `io.docs` at 4.7.1')
  const listing = '----\napi:http.HttpRequest[]\n----\n'
  expect(micronautToAsciidoc(listing)).toBe(listing)
})

test('shows dependencies in Gradle and Maven', async () => {
  expect(
    await shown(
      'dependency:micronaut-validation-processor[groupId="io.x",scope="annotationProcessor"]\n',
    ),
  ).toBe(
    '**Gradle**|```groovy|annotationProcessor("io.x:micronaut-validation-processor")|```|' +
      '**Maven**|```xml|<path>|    <groupId>io.x</groupId>|    <artifactId>micronaut-validation-processor</artifactId>|</path>|```',
  )
  expect(await shown('dependency::org.y:z:1.2[scope="test"]\n')).toContain(
    'testImplementation("org.y:z:1.2")',
  )
})
