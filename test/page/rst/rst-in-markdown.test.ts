import { expect, test } from 'bun:test'
import { withoutRstDirectives } from '../../../src/page/rst/rst-in-markdown.ts'

const check = (text: string, expected: string) =>
  expect(withoutRstDirectives(`.. contents::\n\n${text}`)).toBe(`\n${expected}`)

test('removes roles, contents and comments', () => {
  check('.. default-role:: code\n.. role:: nim(code)\n   :language: nim\n\nText', '\nText')
  check('..\n  Usage:\n\n    .. include:: a.rst\n\nText', '\nText')
  check('.. XXX later\nText', 'Text')
  check('.. _here:\n\nText', '\nText')
})

test('converts admonitions and code', () => {
  check('.. Note:: One\n  two\n\nText', '!!! note\n    One\n    two\n\n\nText')
  check(
    'Use:\n\n  .. code-block:: nim\n\n    echo 1\n\nText',
    'Use:\n\n\n  ```nim\n  echo 1\n  ```\n\n\nText',
  )
})

test('removes the options of code', () =>
  check('.. code-block:: nim\n   :test:\n\n   a\n', '\n```nim\na\n```\n\n'))

test('removes the line above the title, and the fields below it', () => {
  const page = '===\nNim\n===\n\n:Authors: A\n:Version: 1\n\n.. contents::\n\nText'
  expect(withoutRstDirectives(page)).toBe('Nim\n===\n\n\n\nText')
})

test('keeps other directives, targets and code', () => {
  for (const text of ['.. _here: x', '.. raw:: html\n\n  <p>', '```\n.. note:: a\n```', '... a']) {
    check(text, text)
  }
  check('Text\n\n    .. note:: a', 'Text\n\n    .. note:: a')
  for (const text of ['.. note:: a', '```rst\n.. contents::\n```\n\n.. and so on']) {
    expect(withoutRstDirectives(text)).toBe(text)
  }
})
