import { expect, test } from 'bun:test'
import { parseDocstring, renderSections } from '../../../src/api/docstring/docstring.ts'
import { usedCpuMs } from '../../support/pages/cpu-time.ts'

function check(raw: string, text: string, sections: string) {
  const parsed = parseDocstring(raw)
  expect(parsed.text).toBe(text)
  expect(renderSections(parsed)).toBe(sections)
}

const sections = [
  '**Parameters**\n\n- `wick` (`str`): what burns,\n  slowly\n- `height` (`int`): in mm',
  '**Returns** (`bool`): whether it burns',
  '**Raises**\n\n- `LampError`: if there is no oil',
].join('\n\n')

test('renders Google, NumPy and Sphinx sections alike', () => {
  check(
    `Lights a lamp.

    Args:
        wick (str): what burns,
            slowly
        height (int): in mm

    Returns:
        bool: whether it burns

    Raises:
        LampError: if there is no oil
    `,
    'Lights a lamp.',
    sections,
  )
  check(
    `
    Lights a lamp.

    Parameters
    ----------
    wick : str
        what burns,
        slowly
    height : int, optional
        in mm

    Returns
    -------
    bool
        whether it burns

    Raises
    ------
    LampError
        if there is no oil
    `,
    'Lights a lamp.',
    sections,
  )
  check(
    `Lights a lamp.

    :param str wick: what burns,
        slowly
    :param height: in mm
    :type height: int
    :returns: whether it burns
    :rtype: bool
    :raises LampError: if there is no oil
    `,
    'Lights a lamp.',
    sections,
  )
})

test('converts roles, literals, interpreter sessions and notes to Markdown', () => {
  check(
    `Uses :class:\`~lamp.Wick\` and \`\`oil\`\`::

        lamp.light()

    .. note:: Hot.

    >>> lamp.burns
    True
    `,
    'Uses `Wick` and `oil`:\n\n```python\nlamp.light()\n```\n\n**Note:** Hot.\n\n' +
      '```python\n>>> lamp.burns\nTrue\n```',
    '',
  )
})

test('keeps Markdown fences and unknown sections as they are', () => {
  check('Text.\n\n```python\nArgs:\n    a: b\n```', 'Text.\n\n```python\nArgs:\n    a: b\n```', '')
  check('Text.\n\nExample:\n    lamp()\n', 'Text.\n\n**Example**\n\nlamp()', '')
})

test('reads the version and the text of a deprecation', () => {
  const parsed = parseDocstring(`Old.

    .. versionadded:: 1.0

    .. deprecated:: 2.1
        Use :func:\`light\`.
    `)
  expect(parsed).toMatchObject({
    text: 'Old.',
    since: '1.0',
    deprecated: 'since 2.1: Use `light`.',
  })
})

test('reads a long docstring in linear time', () => {
  const started = usedCpuMs()
  parseDocstring('`a <'.repeat(50_000) + '\n' + ':param '.repeat(20_000))
  expect(usedCpuMs() - started).toBeLessThan(2000)
})

test('keeps a section or field as text if its name is a member of Object.prototype', () => {
  for (const text of [
    'Sum.\n\nConstructor:\n    made by hand',
    'Sum.\n\nConstructor\n-----------\nmade by hand',
    'Sum.\n\n:constructor: made by hand',
    'Sum.\n\n.. constructor::\n\n   made by hand',
  ]) {
    const parsed = parseDocstring(text)
    expect(parsed.text).toContain('made by hand')
    expect(parsed.text).not.toContain('native code')
  }
})

test('ends a list of NumPy at prose without a title', () => {
  const text =
    'Runs.\n\nParameters\n----------\na\n    First.\n\nUse it so:\n\n.. code::\n\n    run()\n'
  expect(parseDocstring(text)).toMatchObject({
    text: 'Runs.\n\nUse it so:\n\n```python\nrun()\n```',
    parameters: [{ name: 'a', type: '', text: 'First.' }],
  })
})
