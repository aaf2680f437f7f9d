declare module '*.css' {
  const text: string
  export default text
}

declare module '*.svg' {
  const text: string
  export default text
}

declare module '*/assets/page.js' {
  const text: string
  export default text
}
