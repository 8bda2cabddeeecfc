import js from '@eslint/js';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['lib', 'node_modules'] },
  js.configs.recommended,
  tseslint.configs.recommended,
  {
    files: ['src/**/*.{ts,tsx}'],
    rules: {
      eqeqeq: 'error',
      curly: 'error',
      // Everything shown comes from data: text goes in as text, never as markup.
      'no-restricted-properties': [
        'error',
        ...['innerHTML', 'outerHTML', 'insertAdjacentHTML'].map(property => ({
          property,
          message: 'Use textContent: what is shown comes from data.'
        }))
      ]
    }
  }
);
