import { createTheme } from '@mantine/core'

/** The look of the console, in addition to the defaults of Mantine. */
export const theme = createTheme({
  primaryColor: 'teal',
  // Text on a filled button needs a contrast of 4.5 to 1.
  primaryShade: { light: 9, dark: 8 },
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  cursorType: 'pointer',
})
