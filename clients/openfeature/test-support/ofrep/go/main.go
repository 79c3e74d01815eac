// Evaluates a flag for users (a JSON list on stdin) with OpenFeature's own provider; prints the details as JSON.
package main

import (
	"context"
	"encoding/json"
	"os"

	"github.com/open-feature/go-sdk-contrib/providers/ofrep"
	"github.com/open-feature/go-sdk/openfeature"
)

func main() {
	provider := ofrep.NewProvider(os.Getenv("BASE_URL"), ofrep.WithBearerToken(os.Getenv("API_KEY")))
	must(openfeature.SetProviderAndWait(provider))
	client := openfeature.NewClient("test")
	var users []string
	must(json.NewDecoder(os.Stdin).Decode(&users))
	evaluated := [][]any{}
	for _, user := range users {
		asked := openfeature.NewEvaluationContext(user, map[string]any{})
		details, _ := client.StringValueDetails(context.Background(), os.Args[1], "none", asked)
		evaluated = append(evaluated, []any{details.Value, details.Variant, details.Reason, details.ErrorCode})
	}
	must(json.NewEncoder(os.Stdout).Encode(evaluated))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
