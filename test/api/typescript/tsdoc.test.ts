import { expect, test } from 'bun:test'
import { renderSections } from '../../../src/api/docstring/docstring.ts'
import { parseDocComment } from '../../../src/api/typescript/tsdoc.ts'

test('separates the tags of a doc comment', () => {
  const doc = parseDocComment(`/**
   * Lights a {@link Lamp}.
   *
   * @param wick - what burns,
   *   slowly
   * @param {number} [height=3] in mm
   * @returns {boolean} whether it burns
   * @throws {LampError} if there is no oil
   * @deprecated since v2, use
   *   \`on\`
   * @since 1.2
   * @example
   * lamp.light()
   */`)
  expect(doc.text).toBe('Lights a `Lamp`.\n\n**Example**\n\n```ts\nlamp.light()\n```')
  expect(renderSections(doc)).toBe(
    [
      '**Parameters**\n\n- `wick`: what burns,\n    slowly\n- `height` (`number`): in mm. Default: `3`.',
      '**Returns** (`boolean`): whether it burns',
      '**Raises**\n\n- (`LampError`): if there is no oil',
    ].join('\n\n'),
  )
  expect([doc.deprecated, doc.since]).toEqual(['since v2, use `on`', '1.2'])
})

test('keeps tags inside code fences as text', () => {
  const doc = parseDocComment('/** Use:\n * ```ts\n * @Component()\n * ```\n */')
  expect(doc.text).toBe('Use:\n```ts\n@Component()\n```')
})

test('recognises symbols that are not public', () => {
  expect(parseDocComment('/** Text.\n * @internal */')).toMatchObject({
    text: 'Internal: not meant for users.\n\nText.',
    isInternal: true,
  })
  expect(parseDocComment('/** Text. */')).toMatchObject({ text: 'Text.', isInternal: false })
})

test('keeps the default value of an optional parameter', () => {
  const doc = parseDocComment(`/**
   * @param {string[]} [options.methods=['GET', 'POST']] - Allowed methods
   * @param {boolean} [weak=false] Whether it is weak.
   * @param {number} [size=1] Size, defaults to 1.
   * @param name - Its name.
   * @param [open
   */`)
  expect(doc.parameters).toEqual([
    {
      name: 'options.methods',
      type: 'string[]',
      text: "Allowed methods. Default: `['GET', 'POST']`.",
    },
    { name: 'weak', type: 'boolean', text: 'Whether it is weak. Default: `false`.' },
    { name: 'size', type: 'number', text: 'Size, defaults to 1.' },
    { name: 'name', type: '', text: 'Its name.' },
    { name: 'open', type: '', text: '' },
  ])
})
