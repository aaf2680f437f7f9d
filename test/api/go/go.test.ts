import { expect, test } from 'bun:test'
import { outlineGo } from '../../../src/api/go/go.ts'

const text = `// Package lamp lights.
package lamp

import "fmt"

// Wick burns.
type Wick struct {
	// Mm is its length.
	Mm, Old int \`json:"mm"\`
	io.Reader
	hidden int
}

// Trim cuts.
//
//	w.Trim(1)
//
// Deprecated: use
// Cut.
func (w *Wick) Trim(by int, more ...string) (n int, err error) { return }

func New[T any](a T) *Wick { return nil }
func hidden() {}

type (
	// Oil is burnt.
	Oil interface {
		// Burn it.
		Burn(x int) error
	}
	Kind = string
)

// Sizes of wicks.
const (
	Small Size = iota
	Big // the largest
	// Huge is larger.
	Huge
)

// detached

var ErrX, ErrY = errors.New("x"), 2
`

test('reads exported declarations with their comments', () => {
  const { symbols, documentation, packageName } = outlineGo(text)
  expect([packageName, documentation]).toEqual(['lamp', 'Package lamp lights.'])
  expect(symbols.map((it) => [it.kind, it.name, it.signature, it.documentation])).toEqual([
    ['class', 'Wick', 'type Wick struct', 'Wick burns.'],
    [
      'method',
      'Trim',
      'func (w *Wick) Trim(by int, more ...string) (n int, err error)',
      'Trim cuts.\n\n```go\nw.Trim(1)\n```',
    ],
    ['function', 'New', 'func New[T any](a T) *Wick', ''],
    ['interface', 'Oil', 'type Oil interface', 'Oil is burnt.'],
    ['type', 'Kind', 'type Kind = string', ''],
    ['value', 'Small', 'const Small Size = iota', 'Sizes of wicks.'],
    ['value', 'Big', 'const Big', 'Sizes of wicks.'],
    ['value', 'Huge', 'const Huge', 'Huge is larger.'],
    ['value', 'ErrX', 'var ErrX = errors.New("x"), 2', ''],
    ['value', 'ErrY', 'var ErrY = errors.New("x"), 2', ''],
  ])
  const [wick, trim, , oil] = symbols
  expect(wick!.bases).toEqual(['io.Reader'])
  expect(wick!.members.map((it) => [it.signature, it.documentation])).toEqual([
    ['Mm int', 'Mm is its length.'],
    ['Old int', 'Mm is its length.'],
  ])
  expect(oil!.members[0]).toMatchObject({
    signature: 'Burn(x int) error',
    documentation: 'Burn it.',
  })
  expect(trim).toMatchObject({ bases: ['Wick'], deprecated: 'use Cut.', line: 20 })
})

test('continues after a syntax error', () => {
  const { symbols } = outlineGo('package a\n\nfunc A( {\n}\n\nfunc B() {}\n')
  expect(symbols.map(({ name }) => name)).toContain('B')
})
