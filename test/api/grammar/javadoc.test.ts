import { expect, test } from 'bun:test'
import { parseJavadoc } from '../../../src/api/grammar/javadoc.ts'

test('separates block tags and converts inline tags to Markdown', () => {
  const doc = parseJavadoc(`/**
   * Lights {@link com.acme.Lamp#on(int, List<String>) the lamp} or {@linkplain Wick a wick},
   * {@code List<String>} and {@link #off()}, {@value #MOST}.
   * <pre>{@code
   *   @Override
   *   void a() { }
   * }</pre>
   *
   * @param <T> a type
   * @param wick its wick,
   *     as long as <i>needed</i>
   * @return the {@code Lamp}
   * @throws IOException if dark
   * @see Wick#trim
   * @see Wick#cut(int, int) how to cut
   * @see <a href="https://x.dev/a">the guide</a>
   * @since 1.2
   * @deprecated use
   *   {@link Torch}
   * @author a
   */`)
  expect(doc.text).toBe(
    'Lights `the lamp` or a wick,\n`List<String>` and `off()`, `#MOST`.\n\n' +
      '```java\n@Override\nvoid a() { }\n```\n\nSee `Wick.trim`, how to cut, [the guide](https://x.dev/a).',
  )
  expect(doc.parameters).toEqual([
    { name: '<T>', type: '', text: 'a type' },
    { name: 'wick', type: '', text: 'its wick,\nas long as *needed*' },
  ])
  expect(doc.returns).toEqual([{ name: '', type: '', text: 'the `Lamp`' }])
  expect(doc.raises).toEqual([{ name: 'IOException', type: '', text: 'if dark' }])
  expect([doc.since, doc.deprecated]).toEqual(['1.2', 'use `Torch`'])
})

test('accepts doc comments in Markdown', () => {
  const doc = parseJavadoc('/// **Lights** [Lamp] and [it][Wick].\n    /// @param a {@code b}')
  expect(doc.text).toBe('**Lights** [Lamp] and it.')
  expect(doc.parameters).toEqual([{ name: 'a', type: '', text: '`b`' }])
})

test('removes inline tags from code', () => {
  const doc = parseJavadoc('/** <pre>  lamp.{@link #on on}({@code 1});</pre> */')
  expect(doc.text).toBe('```java\nlamp.on(1);\n```')
})
