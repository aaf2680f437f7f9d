import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sourceRoot } from '../../platform/native/bundled.ts'

/** Paths of web-tree-sitter and its grammars in node_modules. */
export const grammarPaths = {
  runtime: 'web-tree-sitter/web-tree-sitter.wasm',
  c: 'tree-sitter-c/tree-sitter-c.wasm',
  elixir: 'tree-sitter-elixir/tree-sitter-elixir.wasm',
  java: '@vscode/tree-sitter-wasm/wasm/tree-sitter-java.wasm',
  ruby: '@vscode/tree-sitter-wasm/wasm/tree-sitter-ruby.wasm',
  php: '@vscode/tree-sitter-wasm/wasm/tree-sitter-php.wasm',
  csharp: '@vscode/tree-sitter-wasm/wasm/tree-sitter-c-sharp.wasm',
} as const

export type GrammarFile = keyof typeof grammarPaths

/**
 * Returns a WebAssembly module. In the executable, the build replaces this file with one that reads
 * bundled modules (scripts/build/build.ts).
 */
export async function grammarBytes(name: GrammarFile): Promise<Uint8Array> {
  return readFile(join(sourceRoot, 'node_modules', grammarPaths[name]))
}
