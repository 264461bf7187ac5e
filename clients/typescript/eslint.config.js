import js from "@eslint/js";
import { defineConfig, globalIgnores } from "eslint/config";
import jsdoc from "eslint-plugin-jsdoc";
import tseslint from "typescript-eslint";

export default defineConfig(globalIgnores(["dist", "src/gen"]), js.configs.recommended, {
  files: ["**/*.ts"],
  extends: [
    tseslint.configs.strictTypeChecked,
    tseslint.configs.stylisticTypeChecked,
    jsdoc.configs["flat/recommended-typescript-error"],
  ],
  languageOptions: { parserOptions: { projectService: true } },
  rules: {
    "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
    // All that is public is documented.
    "jsdoc/require-jsdoc": [
      "error",
      {
        publicOnly: true,
        require: { ClassDeclaration: true, FunctionDeclaration: true },
        contexts: [
          "TSInterfaceDeclaration",
          "TSTypeAliasDeclaration",
          "TSPropertySignature",
          "PropertyDefinition[accessibility!='private'][key.type!='PrivateIdentifier']",
          "MethodDefinition[kind!='constructor'][accessibility!='private']",
        ],
        checkConstructors: false,
      },
    ],
    // A getter's sentence says what it gives.
    "jsdoc/require-returns": ["error", { checkGetters: false }],
    "jsdoc/tag-lines": ["error", "any", { startLines: 1 }],
  },
});
