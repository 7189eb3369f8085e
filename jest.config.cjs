// All unit tests of the workspace in one run; `nx test <project>` runs those of one project.
module.exports = {
  projects: ['<rootDir>/apps/*', '<rootDir>/libs/*', '<rootDir>/infra/*', '<rootDir>/tools'],
};
