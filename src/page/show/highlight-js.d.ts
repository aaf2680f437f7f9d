/** Types for highlight.js. The package's own types would add the DOM types to every file. */
declare module '@highlightjs/cdn-assets/es/highlight.min.js' {
  type Language = (hljs: object) => object
  const hljs: {
    registerLanguage(name: string, language: Language): void
    getLanguage(name: string): object | undefined
    highlight(
      code: string,
      options: { language: string; ignoreIllegals: boolean },
    ): { value: string }
  }
  export default hljs
}

declare module '@highlightjs/cdn-assets/es/languages/*.min.js' {
  const language: (hljs: object) => object
  export default language
}
